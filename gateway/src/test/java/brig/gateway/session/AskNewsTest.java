package brig.gateway.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.api.AskChange;
import brig.protocol.api.AskList;
import brig.protocol.frame.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What waits to be told of asks. */
class AskNewsTest {
    private final List<AskList.View> open = new ArrayList<>();
    private Consumer<AskChange> change = unheard -> {};
    private int ready;
    private final AskNews asks = new AskNews(() -> new AskList(List.copyOf(open)), listener -> {
        change = listener;
        return () -> change = unheard -> {};
    });

    private static AskList.View ask(int number) {
        Frame.Ask ask = new Frame.Ask(
                "a" + number, Frame.Ask.Kind.TOOL, null, null, null, "Bash", null, List.of(), false, 1, "deny");
        return new AskList.View("spn_1", "fix", null, "mock", null, ask);
    }

    private static AskChange asked(int number) {
        return new AskChange.Ask(ask(number));
    }

    private static AskChange answered(int number) {
        return new AskChange.Answered(
                "spn_1", new Frame.Answered("a" + number, "deny", null, null, null, Frame.Answered.Reason.DEADLINE));
    }

    private Runnable begin() {
        return asks.begin(() -> ready++);
    }

    private List<String> taken() {
        List<String> told = new ArrayList<>();
        for (AskChange next = asks.next(); next != null; next = asks.next()) {
            told.add(
                    switch (next) {
                        case AskChange.Asks all -> "asks " + all.asks().size();
                        case AskChange.Ask ask -> "ask " + ask.ask().ask().askId();
                        case AskChange.Answered answered ->
                            "answered " + answered.answered().askId();
                    });
        }
        return told;
    }

    @Test
    void shouldTellTheOpenAsksAndThenEachChangeInOrder() {
        open.add(ask(1));
        Runnable end = begin();
        change.accept(asked(2));
        change.accept(answered(1));
        assertEquals(List.of("asks 1", "ask a2", "answered a1"), taken());
        assertEquals(2, ready);
        end.run();
        change.accept(asked(3));
        assertNull(asks.next());
    }

    @Test
    void shouldBeginWithAnEmptyListWhenNothingWaits() {
        begin();
        assertEquals(List.of("asks 0"), taken());
    }

    @Test
    void shouldCutALongListIntoLinesOfBoundedSize() {
        IntStream.range(0, AskNews.ASKS_MAX + 2).forEach(i -> open.add(ask(i)));
        begin();
        assertEquals(List.of("asks 64", "ask a64", "ask a65"), taken());
    }

    @Test
    void shouldBeginAgainInsteadOfKeepingMoreForASlowConnection() {
        begin();
        assertEquals("asks", ((AskChange.Asks) asks.next()).type());
        for (int i = 0; i <= AskNews.CHANGES_MAX + 1; i++) {
            change.accept(asked(i));
        }
        List<String> told = taken();
        assertTrue(told.size() <= AskNews.CHANGES_MAX + 2, () -> "" + told.size());
        assertEquals("asks 0", told.getFirst(), "the list stands before what came after it");
    }
}

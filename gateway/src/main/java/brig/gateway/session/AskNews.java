package brig.gateway.session;

import brig.protocol.api.AskChange;
import brig.protocol.api.AskList;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The open asks and each change of them, at once. If too many changes wait, they are dropped and the open asks are told again.
 */
final class AskNews implements Followed<AskChange> {
    /** Asks in one line, which bounds its size. */
    static final int ASKS_MAX = 64;

    static final int CHANGES_MAX = 1024;

    private final Supplier<AskList> open;
    private final Function<Consumer<AskChange>, Runnable> changes;
    private final ArrayDeque<AskChange> waiting = new ArrayDeque<>();
    private int waitingMax;

    /**
     * @param open the open asks that the client may see
     * @param changes tells a listener of each change, until what it returns is run
     */
    AskNews(Supplier<AskList> open, Function<Consumer<AskChange>, Runnable> changes) {
        this.open = open;
        this.changes = changes;
    }

    @Override
    public Runnable begin(Runnable ready) {
        Runnable end = changes.apply(change -> {
            handle(change);
            ready.run();
        });
        beginAgain();
        return end;
    }

    private void beginAgain() {
        List<AskList.View> asks = open.get().asks();
        waiting.clear();
        waiting.add(new AskChange.Asks(asks.stream().limit(ASKS_MAX).toList()));
        asks.stream().skip(ASKS_MAX).map(AskChange.Ask::new).forEach(waiting::add);
        waitingMax = waiting.size() + CHANGES_MAX;
    }

    private void handle(AskChange change) {
        if (waiting.size() < waitingMax) {
            waiting.add(change);
        } else {
            beginAgain();
        }
    }

    @Override
    public @Nullable AskChange next() {
        return waiting.poll();
    }

    @Override
    public String first() {
        return "the open asks";
    }
}

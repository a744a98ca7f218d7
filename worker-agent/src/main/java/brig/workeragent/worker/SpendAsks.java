package brig.workeragent.worker;

import brig.formats.adapter.Asks.Request;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.AnswerChoice;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.Budget;
import java.util.List;

/**
 * What a worker does when its budget is used up, or most of it: asks a person, or ends. Thread-safe; never blocks.
 *
 * <p>Decision 0199.
 */
final class SpendAsks {
    /** What an answer does. */
    interface Actions {
        /** Gives the session as much again. */
        void raise();

        void end();
    }

    private static final int ASK_PERCENT = 80;
    private static final int WHOLE = 100;
    private static final String NATIVE_ID = "budget";
    private static final String RAISE = "raise";
    private static final String END = "end";
    private static final Frame.Ask.Option GO_ON = new Frame.Ask.Option("go_on", "Go on until the limit");
    private static final String FOR_ADMINS = "for_admins";

    private final OpenAsks asks;
    private final EgressFrames frames;
    private final Budget.OnLimit onLimit;
    private final Raising raising;
    private final long waitMs;
    private final Actions actions;

    /** Who may raise the budget. */
    enum Raising {
        CAPTAINS,
        /** The operator's files limit it. */
        ADMINS,
        /** It is kept elsewhere. */
        NOBODY
    }

    SpendAsks(
            OpenAsks asks, EgressFrames frames, Budget.OnLimit onLimit, Raising raising, long waitMs, Actions actions) {
        this.asks = asks;
        this.frames = frames;
        this.onLimit = onLimit;
        this.raising = raising;
        this.waitMs = waitMs;
        this.actions = actions;
    }

    /** @throws BrigException {@code FORBIDDEN} */
    static void requireMay(Frame.Ask ask, AnswerChoice choice) {
        boolean raises = ask.kind() == Frame.Ask.Kind.SPEND && RAISE.equals(choice.option());
        if (raises && !choice.admin() && JsonObject.element(ask.detail()).value(FOR_ADMINS) != null) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN, "the operator's files limit this budget: only an admin raises it");
        }
    }

    void handle(EgressEvent.Budget event) {
        frames.handle(event);
        boolean isOver = event.refused() != null || event.percent() >= WHOLE;
        switch (onLimit) {
            case REFUSE -> {}
            case ASK -> {
                if (event.scope() == EgressEvent.Budget.Scope.SESSION && (isOver || event.percent() >= ASK_PERCENT)) {
                    ask(event);
                }
            }
            case END -> {
                if (isOver) {
                    actions.end();
                }
            }
        }
    }

    private void ask(EgressEvent.Budget event) {
        JsonObject detail = JsonObject.of(Json.parseObject(Json.write(event)));
        Frame.Ask.Option end = new Frame.Ask.Option(END, "End the session");
        List<Frame.Ask.Option> options = raising == Raising.NOBODY
                ? List.of(GO_ON, end)
                : List.of(
                        new Frame.Ask.Option(
                                RAISE,
                                "Raise the budget by as much again",
                                raising == Raising.ADMINS ? "For admins: the operator's files limit it." : null),
                        GO_ON,
                        end);
        Request request = new Request(
                Frame.Ask.Kind.SPEND,
                null,
                NATIVE_ID,
                null,
                event.words(),
                raising == Raising.ADMINS ? detail.with(FOR_ADMINS, true) : detail,
                options,
                false,
                GO_ON.id());
        asks.openNow(request, waitMs, (answered, waits) -> handleSettled(answered));
    }

    private void handleSettled(Frame.Answered answered) {
        if (RAISE.equals(answered.option())) {
            actions.raise();
        } else if (END.equals(answered.option())) {
            actions.end();
        }
    }
}

package brig.acp;

import brig.acp.PromptState.Event;
import brig.acp.message.BrigMeta;
import brig.acp.message.Meta;
import brig.acp.message.PromptEnded;
import brig.acp.message.PromptEnded.StopReason;
import brig.captain.RpcException;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The prompts of a session that wait for their answer. Each is a message with an id: the frame with that id begins its
 * turn, and the end of that turn answers it, whoever else writes to the session. Thread-safe.
 *
 * <p>Decisions 0081, 0083.
 */
final class Prompts {
    /** How a turn ended. */
    sealed interface Outcome {}

    /** @param turn the gateway's report of it; null for none */
    record Stopped(StopReason reason, BrigMeta.@Nullable Turn turn) implements Outcome {}

    record Failed(RpcException why) implements Outcome {}

    private static final Outcome CANCELLED = new Stopped(StopReason.CANCELLED, null);

    private static final class Pending {
        /** The id of the editor's request. */
        final @Nullable Object request;

        PromptState state = PromptState.WAITING;

        Pending(@Nullable Object request) {
            this.request = request;
        }
    }

    private final EditorRpc rpc;
    private final Runnable stopTurn;

    // Guarded by this.
    private final Map<String, Pending> open = new LinkedHashMap<>();
    /** The id of the message whose turn is running, if it has one. */
    private @Nullable String current;
    /** A stop of the turn could not be sent because there was no connection. */
    private boolean stopUnheard;

    private boolean over;

    /** @param stopTurn tells the gateway to stop the turn; fails without a connection */
    Prompts(EditorRpc rpc, Runnable stopTurn) {
        this.rpc = rpc;
        this.stopTurn = stopTurn;
    }

    /**
     * Registers a prompt and sends it.
     *
     * @param name id of the message
     * @param request the id of the editor's request
     * @throws BrigException if the session has ended, or sending failed; it is not registered then
     */
    synchronized void add(String name, @Nullable Object request, Runnable send) {
        requireMore();
        open.put(name, new Pending(request));
        try {
            send.run();
        } catch (BrigException lost) {
            open.remove(name);
            throw lost;
        }
    }

    /** @throws BrigException if the session has ended */
    synchronized void requireMore() {
        if (over) {
            throw new BrigException(ErrorCode.SESSION_ENDED, "the session has ended; begin a new one");
        }
    }

    /** The turn of a message begins; false for a message that the editor did not send. */
    synchronized boolean begin(String name) {
        current = name;
        stopUnheard = false;
        Pending prompt = open.get(name);
        if (prompt != null) {
            transition(prompt, Event.TURN);
        }
        return prompt != null;
    }

    /** The current turn is over. */
    void end(Outcome outcome) {
        Pending prompt;
        synchronized (this) {
            prompt = current == null ? null : open.remove(current);
            endTurn();
        }
        if (prompt != null) {
            answer(prompt, outcome);
        }
    }

    /** The gateway refused the message with that id; false if no such prompt waits. */
    boolean refuse(String name, RpcException why) {
        Pending prompt;
        synchronized (this) {
            prompt = open.remove(name);
        }
        if (prompt != null) {
            answer(prompt, new Failed(why));
        }
        return prompt != null;
    }

    /** Cancels the editor's prompts, or else anybody's turn. @throws BrigException without a connection */
    void cancel() {
        synchronized (this) {
            if (open.isEmpty()) {
                stopTurn.run();
            }
        }
        cancelAll(prompt -> true);
    }

    /** Cancels the prompt of one request; no effect if it is not of this session. */
    void cancel(Object request) {
        cancelAll(prompt -> request.equals(prompt.request));
    }

    private void cancelAll(Predicate<Pending> which) {
        List<Pending> withdrawn = new ArrayList<>();
        synchronized (this) {
            for (Pending prompt : open.values()) {
                if (which.test(prompt)) {
                    boolean answered = prompt.state.isAnswered();
                    transition(prompt, Event.CANCEL);
                    if (prompt.state.isAnswered() && !answered) {
                        withdrawn.add(prompt);
                    }
                }
            }
        }
        withdrawn.forEach(prompt -> write(prompt, CANCELLED));
    }

    /** Held by the monitor. */
    private void transition(Pending prompt, Event event) {
        prompt.state = prompt.state.after(event);
        if (prompt.state.stopsTurn()) {
            try {
                stopTurn.run();
            } catch (BrigException lost) {
                stopUnheard = true;
            }
        }
    }

    /**
     * The connection is back: sends a pending stop.
     *
     * @param adopt lets lines be sent on it; false if the session was left meanwhile
     * @return the result of {@code adopt}
     */
    synchronized boolean resume(BooleanSupplier adopt) {
        boolean adopted = adopt.getAsBoolean();
        if (adopted && stopUnheard) {
            stopUnheard = false;
            stopTurn.run();
        }
        return adopted;
    }

    /** As above, for another stream: running prompts are lost. */
    boolean restart(BooleanSupplier adopt, RpcException why) {
        List<Pending> lost;
        boolean adopted;
        synchronized (this) {
            lost = take(name -> true);
            endTurn();
            adopted = adopt.getAsBoolean();
        }
        lost.forEach(prompt -> answer(prompt, new Failed(why)));
        return adopted;
    }

    /** The connection is lost: fails waiting prompts, whose delivery is unknown; the running one continues. */
    void failWaiting(RpcException why) {
        List<Pending> lost;
        synchronized (this) {
            lost = take(name -> !Objects.equals(name, current));
        }
        lost.forEach(prompt -> answer(prompt, new Failed(why)));
    }

    /** The session has ended: no turn is running, and no prompt is accepted. */
    void finish(RpcException why) {
        takeNoMore();
        restart(() -> true, why);
    }

    /** Held by the monitor. */
    private List<Pending> take(Predicate<String> which) {
        List<Pending> taken = new ArrayList<>();
        open.entrySet().removeIf(entry -> {
            boolean wanted = which.test(entry.getKey());
            if (wanted) {
                taken.add(entry.getValue());
            }
            return wanted;
        });
        return taken;
    }

    /** Held by the monitor. */
    private void endTurn() {
        current = null;
        stopUnheard = false;
    }

    /** Accepts no further prompts. */
    synchronized void takeNoMore() {
        over = true;
    }

    synchronized boolean takesMore() {
        return !over;
    }

    /** The editor leaves: cancels waiting prompts and accepts no more. */
    void close() {
        List<Pending> left;
        synchronized (this) {
            over = true;
            left = take(name -> true);
            endTurn();
        }
        left.forEach(prompt -> answer(prompt, CANCELLED));
    }

    synchronized boolean isBusy() {
        return !open.isEmpty();
    }

    /** A cancelled prompt did not fail. It is no longer open. */
    private void answer(Pending prompt, Outcome outcome) {
        if (!prompt.state.isAnswered()) {
            boolean cancelled = prompt.state == PromptState.CANCELLING;
            write(
                    prompt,
                    switch (outcome) {
                        case Stopped stopped when cancelled -> new Stopped(StopReason.CANCELLED, stopped.turn());
                        case Failed failed when cancelled -> CANCELLED;
                        default -> outcome;
                    });
        }
    }

    private void write(Pending prompt, Outcome outcome) {
        switch (outcome) {
            case Stopped(StopReason reason, BrigMeta.Turn turn) ->
                rpc.answer(prompt.request, new PromptEnded(reason, turn == null ? null : new Meta(turn)));
            case Failed(RpcException why) -> rpc.fail(prompt.request, why);
        }
    }
}

package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.TestRouteAnswer;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.Setup;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One message to an agent behind the wall, and what became of it. */
final class AgentTrial {
    /** For the end of its process after its time. */
    private static final int GRACE_SECONDS = 20;

    private static final int ANSWER_CHARS_MAX = 200;
    private static final String CANCELLED = "cancelled";
    private static final String MESSAGE = "This is a test. Answer with the one word: ready";

    private final CommandContext context;
    private final CommandContext.Connection gateway;
    private final int secondsMax;

    AgentTrial(CommandContext context, CommandContext.Connection gateway, int secondsMax) {
        this.context = context;
        this.gateway = gateway;
        this.secondsMax = secondsMax;
    }

    /**
     * What became of it.
     *
     * @param answer the beginning; null if there was none
     * @param cause of a failure
     * @param mend the remedy
     */
    record Result(
            String agent,
            double seconds,
            @Nullable String answer,
            @Nullable String cause,
            @Nullable String mend) {
        boolean isAnswered() {
            return cause == null;
        }
    }

    /** What was seen of a session. */
    private static final class Seen {
        final StringBuilder answer = new StringBuilder();
        String spawnId = "";

        /** The last one, after which it may have tried again. */
        @Nullable
        String error;

        boolean failed;

        int exitCode;
        boolean ended;
    }

    /** The route first: an agent that has none tries again for minutes. */
    Result run(String agent) {
        long began = System.nanoTime();
        String cause;
        String mend;
        Seen seen = new Seen();
        AtomicBoolean late = new AtomicBoolean();
        try {
            Result refused = refusedByModel(agent, began);
            if (refused != null) {
                return refused;
            }
            converse(agent, seen, late);
            cause = cause(seen, late.get());
            mend = cause == null || seen.spawnId.isEmpty()
                    ? null
                    : "'" + context.command("run") + " " + agent + " -- hello' shows all that it says";
        } catch (BrigException refusal) {
            cause = refusal.getMessage() + " (" + refusal.code() + ")";
            mend = switch (refusal.code()) {
                case LOGIN_REFUSED -> loginOrKey(agent);
                case POSTURE_NOT_ENFORCED, SANDBOX_UNAVAILABLE, LIMITS_UNAVAILABLE ->
                    "'" + context.command("doctor") + "' says what this host lacks";
                default -> null;
            };
        }
        String answer = seen.answer.toString().strip();
        return new Result(agent, since(began), answer.isEmpty() ? null : answer, cause, mend);
    }

    private @Nullable String cause(Seen seen, boolean late) {
        if (late) {
            return "no answer within " + secondsMax + " s" + (seen.error == null ? "" : ": " + seen.error);
        }
        if (seen.failed || seen.exitCode != 0) {
            return seen.error == null ? "it ended with " + seen.exitCode : seen.error;
        }
        return seen.answer.isEmpty() ? "it said nothing" : null;
    }

    private static double since(long began) {
        return Math.round((System.nanoTime() - began) / 1e8) / 10.0;
    }

    private String loginOrKey(String agent) {
        return "'" + context.command("route set") + " " + agent + " --key-file FILE' takes another key, '"
                + context.command("login") + " " + agent + "' a login";
    }

    /** What its server says of key or login, before the agent asks it; null if nothing speaks against it. */
    private @Nullable Result refusedByModel(String agent, long began) {
        TestRouteAnswer answer;
        try (GatewayClient client = context.connectAgain(gateway)) {
            answer = client.request(new SpawnerRequest.TestRoute(agent), TestRouteAnswer.class);
        } catch (BrigException refusal) {
            if (refusal.code() != ErrorCode.AGENT_SERVER_FAILED) {
                throw refusal;
            }
            return new Result(agent, since(began), null, refusal.getMessage(), unreachable(agent));
        }
        String said = answer.baseUrl() + " answered " + answer.status();
        return switch (answer.status()) {
            case 401, 403 ->
                new Result(agent, since(began), null, said + ": key or login is refused", loginOrKey(agent));
            case 502, 503, 504 -> new Result(agent, since(began), null, said, unreachable(agent));
            default -> null;
        };
    }

    private String unreachable(String agent) {
        return "is it up, and reachable from this host? '" + context.command("route test") + " " + agent
                + "' asks again";
    }

    private void converse(String agent, Seen seen, AtomicBoolean late) {
        SpawnRequest request = new SpawnRequest(
                null,
                null,
                new SpawnRequest.AgentConfig(agent, null, List.of(), null, null),
                MESSAGE,
                true,
                null,
                WorkspaceMode.FOLDER,
                null,
                false,
                SpawnRequest.Claim.NONE,
                new SpawnRequest.Bounds(null, secondsMax, 0),
                SpawnRequest.Continuation.NEW,
                null,
                SpawnRequest.Place.HERE,
                Setup.NONE);
        try (GatewayClient client = context.connectAgain(gateway)) {
            // Whatever hangs, this command goes on.
            CompletableFuture<Void> over = CompletableFuture.runAsync(
                            () -> late.set(true),
                            CompletableFuture.delayedExecutor((long) secondsMax + GRACE_SECONDS, TimeUnit.SECONDS))
                    .thenRun(client::close);
            Thread atExit = Thread.ofPlatform().name("brig-trial-end").unstarted(() -> {
                if (!seen.spawnId.isEmpty()) {
                    client.send(new CaptainLine.Terminate());
                }
            });
            Runtime.getRuntime().addShutdownHook(atExit);
            try {
                seen.spawnId = client.request(
                                new SpawnerRequest.Spawn(request, SpawnOptions.CLIENT, null), SpawnAnswer.class)
                        .spawnId();
                client.send(new SpawnerRequest.Attach(seen.spawnId, AttachOptions.NONE));
                for (byte[] line = client.nextLine(); line != null && !seen.ended; line = client.nextLine()) {
                    take(JsonObject.read(line), seen, late);
                }
            } finally {
                over.cancel(false);
                Runtime.getRuntime().removeShutdownHook(atExit);
            }
        }
    }

    private static void take(JsonObject line, Seen seen, AtomicBoolean late) {
        if (!line.has("seq")) {
            seen.ended |= line.text("type", "").equals("state")
                    && line.text("state", "").equals(Frame.State.TERMINATED);
            return;
        }
        switch (line.as(NumberedFrame.class).frame()) {
            case Frame.Chunk(String agent, String tool, Frame.Chunk.Channel stream, String content)
            when agent == null
                    && tool == null
                    && (stream == Frame.Chunk.Channel.TEXT || stream == Frame.Chunk.Channel.STDOUT) ->
                seen.answer.append(content, 0, Math.min(content.length(), ANSWER_CHARS_MAX - seen.answer.length()));
            case Frame.Failure failure -> {
                seen.error = failure.error() + " (" + failure.code() + ")";
                seen.failed |= !failure.retrying();
            }
            case Frame.Done done -> {
                seen.exitCode = done.exitCode();
                // Nobody else cancels its turn.
                late.set(late.get() || StreamPrinter.TIMEOUT.equals(done.reason()) || CANCELLED.equals(done.reason()));
            }
            case Frame.State state -> seen.ended |= state.isTerminated();
            case null, default -> {}
        }
    }
}

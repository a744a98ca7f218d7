package brig.mcp;

import brig.captain.CaptainGateway;
import brig.mcp.message.ToolCall;
import brig.mcp.message.ToolResult;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.api.AskList;
import brig.protocol.api.BudgetView;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.api.SpawnList;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AgentOffer;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.HelloAnswer;
import brig.protocol.frame.AskDetail;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.PermissionMode;
import brig.protocol.spawn.Setup;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Carries out the calls of tools. Thread-safe; calls block. */
final class Tools {
    /** The name of this interface. */
    static final String CLIENT = "mcp";

    /** About ten thousand tokens with what one more frame has: below what clients cut off. */
    private static final int TEXT_CHARACTERS_MAX = 16_000;

    private static final int DIFF_CHARACTERS_MAX = 40_000;
    private static final int LISTED_MAX = 50;
    private static final int ASKS_MAX = 10;
    private static final int DETAIL_CHARACTERS_MAX = 500;
    /** A place may become free while the client waits. */
    private static final String PLACE_WAIT = "20s";

    private final CaptainGateway gateway;
    private final Ticks ticks;
    private final Executor threads;
    private final Path folder;

    /** @param folder for sessions that name none */
    Tools(CaptainGateway gateway, Ticks ticks, Executor threads, Path folder) {
        this.gateway = gateway;
        this.ticks = ticks;
        this.threads = threads;
        this.folder = folder;
    }

    /** @throws BrigException if it is refused */
    ToolResult run(ToolCall call, Running running) {
        return switch (call) {
            case ToolCall.Spawn spawn -> spawn(spawn);
            case ToolCall.Send send -> send(send, running);
            case ToolCall.Wait wait -> await(wait, running);
            case ToolCall.Status(String session) -> status(session);
            case ToolCall.Diff(String session) -> diff(session);
            case ToolCall.Apply(String session, boolean check) -> apply(session, check);
            case ToolCall.ListAll(boolean all) -> list(all);
            case ToolCall.Answer answer -> answer(answer);
            case ToolCall.Logs logs -> logs(logs, running);
            case ToolCall.Terminate(String session) -> {
                SpawnView view = gateway.request(new SpawnerRequest.Terminate(session), SpawnView.class);
                yield ToolResult.of(JsonObject.of(Session.of(view)));
            }
        };
    }

    /** What a captain is told of a session. The tokens of a new one are for other clients, and are left out. */
    private record Session(
            String session,
            String taskId,
            String agent,
            String state,
            String activity,
            @Nullable String workspace,
            @Nullable String host,
            @Nullable String lastError,
            @Nullable TokenUsage usage,
            @Nullable BudgetView budget) {
        static Session of(SpawnView view) {
            return new Session(
                    view.spawnId(),
                    view.taskId(),
                    view.agent(),
                    view.state().wireName(),
                    view.activity().wireName(),
                    view.workspace().isEmpty() ? null : view.workspace(),
                    view.host(),
                    view.lastError(),
                    view.usage(),
                    view.budget());
        }
    }

    private record Spawned(
            String session, String taskId, @Nullable String workspace, String cursor) {}

    private record Sent(String session, String messageId, String cursor) {}

    private record Heard(
            String session, boolean running, boolean ended, boolean more, String cursor, List<OpenAsk> asks) {}

    private record OpenAsk(String askId, String title, String detail, String choices) {
        static OpenAsk of(AskList.View view) {
            String detail = AskDetail.brief(view.ask().detail());
            return new OpenAsk(
                    view.ask().askId(),
                    view.ask().title(),
                    detail.substring(0, Math.min(detail.length(), DETAIL_CHARACTERS_MAX)),
                    view.ask().choices());
        }
    }

    private record Known(String name, String description) {}

    private record Listed(List<Session> sessions, int total, List<Known> agents) {}

    private record Shown(Session session, SpawnView.@Nullable Exit exit, List<OpenAsk> asks) {}

    private record Changes(
            String session,
            @Nullable String branch,
            boolean truncated,
            @Nullable String all) {}

    private record Applied(
            String session,
            boolean applied,
            List<String> conflicts,
            List<ApplyAnswer.Withheld> withheld,
            @Nullable String next) {}

    private ToolResult spawn(ToolCall.Spawn asked) {
        Path repository = asked.workspace() == null ? repository(asked.repository()) : null;
        if (asked.workspace() != null
                && asked.repository() != null
                && !asked.repository().isEmpty()) {
            throw BrigException.invalid("repository", "does not go with workspace");
        }
        SpawnRequest request = new SpawnRequest(
                asked.taskId(),
                asked.workspace() == null
                        ? null
                        : path("workspace", asked.workspace()).toString(),
                new SpawnRequest.AgentConfig(
                        asked.agent(),
                        asked.model(),
                        List.of(),
                        asked.systemPrompt(),
                        asked.permissions() == null ? null : PermissionMode.of("permissions", asked.permissions())),
                asked.prompt(),
                asked.once(),
                asked.policy(),
                repository == null ? WorkspaceMode.FOLDER : WorkspaceMode.SNAPSHOT,
                repository == null ? null : repository.toString(),
                false,
                new SpawnRequest.Claim(asked.requestId(), SpawnRequest.Claim.LOCAL, ""),
                asked.budget() == null
                        ? SpawnRequest.Bounds.NONE
                        : new SpawnRequest.Bounds(null, 0, 0, Budget.parse("budget", asked.budget()), null),
                SpawnRequest.Continuation.NEW,
                null,
                new SpawnRequest.Place(asked.host(), List.of()),
                Setup.NONE);
        SpawnAnswer spawned = gateway.request(new SpawnerRequest.Spawn(request, CLIENT, PLACE_WAIT), SpawnAnswer.class);
        return ToolResult.of(JsonObject.of(
                new Spawned(spawned.spawnId(), spawned.taskId(), spawned.workspace(), Cursor.BEGINNING.toString())));
    }

    private Path path(String name, String text) {
        try {
            return folder.resolve(text).normalize();
        } catch (InvalidPathException e) {
            throw BrigException.invalid(name, "must be a path");
        }
    }

    /** The repository of the argument, or that of the server's folder; null for none. */
    private @Nullable Path repository(@Nullable String named) {
        if (named != null) {
            return named.isEmpty() ? null : path("repository", named);
        }
        for (Path above = folder; above != null; above = above.getParent()) {
            if (Files.exists(above.resolve(".git"))) {
                return above;
            }
        }
        return null;
    }

    private ToolResult send(ToolCall.Send asked, Running running) {
        String messageId = asked.messageId() == null ? UUID.randomUUID().toString() : asked.messageId();
        Cursor cursor = new Sending(gateway, ticks, running).send(asked.session(), asked.message(), messageId);
        return ToolResult.of(JsonObject.of(new Sent(asked.session(), messageId, cursor.toString())));
    }

    private ToolResult await(ToolCall.Wait asked, Running running) {
        StreamText text = new StreamText(false, TEXT_CHARACTERS_MAX);
        SessionReading reading = new SessionReading(gateway, ticks, threads, text, running);
        int seconds = Objects.requireNonNullElse(asked.seconds(), ToolCall.WAIT_SECONDS_MAX);
        return heard(reading.await(asked.session(), Cursor.of(asked.cursor()), seconds), text);
    }

    private ToolResult logs(ToolCall.Logs asked, Running running) {
        StreamText text = new StreamText(true, TEXT_CHARACTERS_MAX);
        SessionReading reading = new SessionReading(gateway, ticks, threads, text, running);
        return heard(reading.replay(asked.session(), Cursor.of(asked.cursor())), text);
    }

    private ToolResult heard(SessionReading.Outcome outcome, StreamText text) {
        SpawnView view = outcome.view();
        return ToolResult.of(
                JsonObject.of(new Heard(
                        view.spawnId(),
                        outcome.running(),
                        view.endedMs() > 0,
                        outcome.more(),
                        outcome.next().toString(),
                        asks(view))),
                text.toString());
    }

    private List<OpenAsk> asks(SpawnView view) {
        return view.activity() != SpawnActivity.WAITING
                ? List.of()
                : gateway.request(new SpawnerRequest.Asks(view.spawnId()), AskList.class).asks().stream()
                        .limit(ASKS_MAX)
                        .map(OpenAsk::of)
                        .toList();
    }

    private ToolResult status(String session) {
        SpawnView view = gateway.request(new SpawnerRequest.Status(session), SpawnView.class);
        return ToolResult.of(JsonObject.of(new Shown(Session.of(view), view.exit(), asks(view))));
    }

    private ToolResult list(boolean all) {
        List<SpawnView> views = gateway.request(new SpawnerRequest.ListAll(), SpawnList.class).spawns().stream()
                .filter(view -> all || view.endedMs() == 0)
                .sorted(Comparator.comparing(SpawnView::createdMs).reversed())
                .toList();
        List<Known> agents = gateway.request(new SpawnerRequest.Agents(), HelloAnswer.class).agents().stream()
                .filter(agent -> agent.state() == AgentOffer.State.READY)
                .limit(LISTED_MAX)
                .map(agent -> new Known(agent.name(), agent.description()))
                .toList();
        return ToolResult.of(JsonObject.of(
                new Listed(views.stream().limit(LISTED_MAX).map(Session::of).toList(), views.size(), agents)));
    }

    private ToolResult diff(String session) {
        DiffAnswer answer = gateway.request(new SpawnerRequest.Diff(session), DiffAnswer.class);
        boolean cut = answer.diff().length() > DIFF_CHARACTERS_MAX;
        String shown = cut ? answer.diff().substring(0, DIFF_CHARACTERS_MAX) : answer.diff();
        return ToolResult.of(
                JsonObject.of(new Changes(
                        answer.spawnId(),
                        answer.branch(),
                        cut || answer.truncated(),
                        cut ? Resources.diff(answer.spawnId()) : null)),
                shown.isEmpty() ? "no changes" : shown);
    }

    /** Withheld files stay withheld here: they are for a person to judge. */
    private ToolResult apply(String session, boolean check) {
        ApplyAnswer answer = gateway.request(new SpawnerRequest.Apply(session, check, List.of()), ApplyAnswer.class);
        String next = answer.withheld().isEmpty()
                ? null
                : "nothing was changed; a person can take these files too: brig apply " + answer.spawnId()
                        + " --allow FILE";
        return ToolResult.of(
                JsonObject.of(
                        new Applied(answer.spawnId(), answer.applied(), answer.conflicts(), answer.withheld(), next)),
                answer.stat());
    }

    private ToolResult answer(ToolCall.Answer asked) {
        if ((asked.option() == null) == (asked.text() == null)) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "option or text: exactly one of them");
        }
        return ToolResult.of(JsonObject.of(gateway.request(
                new SpawnerRequest.AnswerAsk(asked.askId(), asked.option(), asked.text(), CLIENT), AskAnswer.class)));
    }
}

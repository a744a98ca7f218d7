package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.SpawnState;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.spawn.Setup;
import brig.protocol.spawn.SpawnRequest;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig exec}. The command runs as a spawn of its own, not as a message to the session: messages of one session
 * are serialized and share a stream, while the caller wants the output and the exit code of this command alone.
 *
 * <p>Decisions 0088, 0089.
 */
@Command(
        name = "exec",
        description = "Run a command in the workspace of a session, stream its output, and exit with its code.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The command runs behind a wall of its own. It shares the workspace and its git worktree with the session, but "
                    + "neither processes nor /tmp. Several commands may run at once. Without a COMMAND, the command is read from standard "
                    + "input, unless that is a terminal.",
            "",
            "Examples:",
            "  brig exec build -- 'make test'",
            "  brig exec build -- git log --oneline"
        })
final class ExecCommand implements Callable<Integer> {
    private static final String SHELL = "shell";

    @ParentCommand
    private Main main = new Main();

    @Parameters(index = "0", paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Parameters(
            index = "1..*",
            paramLabel = "COMMAND",
            description = "The command, for bash. Words are joined with spaces.")
    private List<String> command = List.of();

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            description = "The policy of the wall, instead of that of the agent 'shell'.")
    private @Nullable String policy;

    @Mixin
    private RawOption raw = new RawOption();

    @Override
    public Integer call() throws IOException {
        raw.apply(main.terminal());
        String workspace;
        SpawnRequest.Place place;
        try (GatewayClient client = main.context().connect()) {
            SpawnView session = client.request(new SpawnerRequest.Status(id), SpawnView.class);
            if (session.state() != SpawnState.RUNNING) {
                throw new BrigException(
                        ErrorCode.SESSION_ENDED,
                        "the session is " + session.state().wireName());
            }
            if (session.host() != null && !session.provider().equals(SpawnRequest.Claim.LOCAL)) {
                throw new BrigException(
                        ErrorCode.INPUT_NOT_ACCEPTED,
                        "the sandbox is that session's alone: send the command to its agent, as with 'brig attach " + id
                                + "'");
            }
            workspace = session.workspace();
            place = new SpawnRequest.Place(session.host(), List.of());
        }
        SpawnRequest request = new SpawnRequest(
                null,
                workspace,
                new SpawnRequest.AgentConfig(SHELL, null, List.of(), null),
                RunCommand.message(command.isEmpty() ? null : String.join(" ", command)),
                true,
                policy,
                SpawnRequest.WorkspaceMode.FOLDER,
                null,
                true,
                SpawnRequest.Claim.NONE,
                SpawnRequest.Bounds.NONE,
                SpawnRequest.Continuation.NEW,
                null,
                place,
                Setup.NONE);
        return RunCommand.stream(
                main, SHELL, new SpawnerRequest.Spawn(request, SpawnOptions.CLIENT, null), spawnId -> {});
    }
}

package brig.cli;

import brig.client.Brig;
import brig.client.Frame;
import brig.client.Position;
import brig.client.Session;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig wait}. It uses the gateway as programs of others do, through their client.
 *
 * <p>Decision 0189.
 */
@Command(
        name = "wait",
        description = "Wait until a session has ended its turn, and exit with the code of that turn.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The gateway may be restarted meanwhile. If the session has nothing to do, its last turn counts.",
            "",
            "Examples:",
            "  brig spawn claude --task-id tests -r . -- 'Fix the tests' && brig wait tests && brig diff tests",
            "  brig wait --json tests | jq .exit_code"
        })
final class WaitCommand implements Callable<Integer> {
    /** What {@code activity} says of a session that will end no turn. */
    private static final Set<String> AT_REST = Set.of("idle", "failed", "ended");

    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", description = "The spawn_id or task_id of the session.")
    private String id = "";

    @Override
    public Integer call() {
        try (Brig brig = main.context().client()) {
            Frame view = brig.status(id);
            try (Session session = brig.watch(id, Position.BEGINNING)) {
                Frame done = lastDone(session, view.number("last_seq", 0), isAtRest(view));
                if (main.json() && done != null) {
                    main.terminal().println(done.toString());
                }
                return done == null ? 0 : (int) done.number("exit_code", 0);
            }
        } catch (brig.client.BrigException failure) {
            throw new BrigException(code(failure.code()), String.valueOf(failure.getMessage()));
        }
    }

    private static boolean isAtRest(Frame view) {
        return AT_REST.contains(view.text("activity", ""));
    }

    /** Reads to the end of a turn beyond that frame; of a session at rest, to that frame. */
    private static @Nullable Frame lastDone(Session session, long known, boolean isAtRest) {
        Frame done = null;
        for (Frame frame = known == 0 && isAtRest ? null : session.next(); frame != null; frame = session.next()) {
            done = frame.type().equals("done") ? frame : done;
            boolean isNew = done != null && done.seq() > known;
            if (frame.seq() >= known && (isAtRest || isNew)) {
                break;
            }
        }
        return done;
    }

    /** The client has codes of its own for a gateway that does not answer. */
    private static ErrorCode code(String name) {
        return Arrays.stream(ErrorCode.values())
                .filter(code -> code.name().equals(name))
                .findFirst()
                .orElse(ErrorCode.NOT_FOUND);
    }
}

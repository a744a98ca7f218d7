package brig.cli;

import brig.captain.CaptainGateway.Attached;
import brig.cli.terminal.LentScreen;
import brig.cli.terminal.RawTerminal;
import brig.cli.terminal.Terminal;
import brig.cli.tty.AttachedTerminal;
import brig.cli.tty.DetachKeys;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.StreamPosition;
import brig.protocol.api.SpawnAnswer;
import brig.protocol.api.SpawnView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.log.LogOutput;
import brig.protocol.spawn.TerminalSize;
import org.jspecify.annotations.Nullable;

/**
 * {@code --tty} of {@code run} and {@code attach}.
 *
 * <p>Decision 0186.
 */
final class TtyClient {
    private TtyClient() {}

    /** Refuses the command where nobody can see or type. */
    static void requireTerminal(Main main) {
        for (int descriptor = 0; descriptor <= 1; descriptor++) {
            if (!Terminal.isTerminal(descriptor)) {
                throw main.wrongUsage(
                        "--tty needs a terminal, and standard " + (descriptor == 0 ? "input" : "output")
                                + " is none. Over ssh: 'ssh -t HOST brig …'. A program reads the stream: brig attach --json ID");
            }
        }
    }

    /** The size of this terminal, or the usual one. */
    static TerminalSize size() {
        RawTerminal.Size window = RawTerminal.size();
        return new TerminalSize(
                Math.clamp(window.columns(), 1, TerminalSize.COLS_MAX),
                Math.clamp(window.rows(), 1, TerminalSize.ROWS_MAX));
    }

    /** Starts a session, and shows its terminal. @return the agent's exit code, or 0 if the person detached */
    static int run(Main main, SpawnerRequest.Spawn request, DetachKeys keys) {
        try (SpawnerGateway gateway = new SpawnerGateway(main.context(), SpawnOptions.CLIENT, true)) {
            String spawnId = gateway.request(request, SpawnAnswer.class).spawnId();
            String stay = gateway.isEmbedded() ? stay(main) : null;
            if (stay != null) {
                main.terminal().note(stay);
            }
            AttachedTerminal.End end = show(main, gateway, spawnId, keys, stay);
            if (!end.detached() && RunCommand.mayKeep(request)) {
                RunCommand.sayKept(main, spawnId, gateway.request(RunCommand.KEPT, WorkspacesAnswer.class));
            }
            return end.exitCode();
        }
    }

    /** Nobody could attach again to a session that ends with this command. */
    private static String stay(Main main) {
        return "no gateway runs, so the session ends with this command: '"
                + main.context().command("serve") + "' in another window makes later ones go on";
    }

    /** Shows the terminal of a session. @throws BrigException {@code INPUT_NOT_ACCEPTED} if it has none */
    static int attach(Main main, String id, DetachKeys keys) {
        try (SpawnerGateway gateway = new SpawnerGateway(main.context(), SpawnOptions.CLIENT, false)) {
            if (!gateway.request(new SpawnerRequest.Status(id), SpawnView.class).tty()) {
                throw new BrigException(
                        ErrorCode.INPUT_NOT_ACCEPTED,
                        "the session has no terminal: '" + main.context().command("attach") + " " + id
                                + "' shows it, and sends it lines");
            }
            return show(main, gateway, id, keys, null).exitCode();
        } catch (BrigException refusal) {
            throw refusal.code() == ErrorCode.SHUTTING_DOWN ? lost(main, id, refusal) : refusal;
        }
    }

    private static BrigException lost(Main main, String id, BrigException refusal) {
        return new BrigException(
                refusal.code(),
                refusal.getMessage() + "; the session may go on: '"
                        + main.context().command("attach") + " --tty " + id + "' once the gateway is back");
    }

    /** @param stay why the person cannot leave; null for somebody who can */
    private static AttachedTerminal.End show(
            Main main, SpawnerGateway gateway, String id, DetachKeys keys, @Nullable String stay) {
        Attached first = gateway.attach(id, StreamPosition.SCREEN);
        String spawnId = first.welcome().spawnId();
        AttachedTerminal.End end;
        // A gateway of this command logs, and the screen is the agent's.
        try (LogOutput.Hold _ = LogOutput.hold();
                LentScreen screen = LentScreen.take(main.terminal())) {
            end = new AttachedTerminal(screen, from -> gateway.attach(spawnId, from), keys, stay).run(first, System.in);
        }
        if (end.detached()) {
            main.terminal()
                    .note("detached; the session goes on: " + main.context().command("attach") + " --tty "
                            + first.welcome().taskId());
        }
        return end;
    }
}

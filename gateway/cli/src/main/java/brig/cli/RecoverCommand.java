package brig.cli;

import brig.gateway.app.StateRecovery;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code brig recover}. */
@Command(
        name = "recover",
        description = "Rebuild a damaged database from its readable parts and the recorded streams.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Use it if 'brig serve' reports that brig.db is damaged. The gateway must not run. The damaged files are kept.",
            "A session whose row is lost keeps its spawn_id, its agent's session_id and its stream. Its task_id and its",
            "tokens are lost; 'brig token create' makes new ones. A database without damage is left unchanged.",
            "",
            "Examples:",
            "  brig recover",
            "  brig --config my.json recover --json"
        })
final class RecoverCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Override
    public Integer call() {
        StateRecovery.Done done = StateRecovery.run(main.context().paths());
        if (main.json()) {
            main.terminal().json(done);
        } else if (done.damaged()) {
            main.terminal()
                    .println("made " + done.database() + " anew: " + done.kept() + " sessions of its rows, "
                            + done.rebuilt() + " of their streams alone");
            main.terminal().println("the damaged one is " + done.aside());
            main.terminal().println("next: " + main.context().command("serve"));
        } else {
            main.terminal().println(done.database() + " is whole: nothing was done");
        }
        return 0;
    }
}

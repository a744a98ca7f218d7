package brig.cli;

import brig.gateway.app.StateRecovery;
import brig.protocol.json.Fields;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code brig recover}. */
@Command(
        name = "recover",
        description = "Make a damaged database anew, of what can be read of it and of the recorded streams.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "For when 'brig serve' says that brig.db is damaged; the gateway must not run. The damaged files are kept aside.",
            "Of a session whose row is lost there are its spawn_id, its agent's session_id and its stream; its task_id and its",
            "tokens are gone: 'brig token create' makes others. A whole database is left as it is.",
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
        Fields said = new Fields(StateRecovery.run(main.context().paths()));
        if (main.json()) {
            main.terminal().json(said.asMap());
        } else if (said.flag("damaged")) {
            main.terminal()
                    .println("made " + said.text("database", "") + " anew: "
                            + said.number("kept", 0, Integer.MAX_VALUE, 0) + " sessions of its rows, "
                            + said.number("rebuilt", 0, Integer.MAX_VALUE, 0) + " of their streams alone");
            main.terminal().println("the damaged one is " + said.text("aside", ""));
            main.terminal().println("next: " + main.context().command("serve"));
        } else {
            main.terminal().println(said.text("database", "") + " is whole: nothing was done");
        }
        return 0;
    }
}

package brig.cli;

import brig.cli.install.Installation;
import brig.cli.install.Links;
import brig.cli.install.StartupArchives;
import brig.cli.terminal.Terminal;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig setup}.
 *
 * <p>Decision 0182.
 */
@Command(
        name = "setup",
        description = "Finish an installation from an archive: fast start, links for the shell, what is missing here.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Needs no root. It may be run again. 'brig uninstall' undoes it.",
            "",
            "Example:",
            "  tar -xf brig-VERSION-linux-amd64.tar.zst && brig/bin/brig setup"
        })
final class SetupCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Option(
            names = "--without-archives",
            description =
                    "Make no start-up archives. They take half a minute and 110 MB, and halve the time of each start.")
    private boolean withoutArchives;

    @Option(names = "--without-links", description = "Make no links in ~/.local/bin, and none for shells and man.")
    private boolean withoutLinks;

    /**
     * What was done.
     *
     * @param archives whether start-up archives are there
     * @param missing what the doctor finds
     */
    private record Done(boolean archives, List<String> links, List<String> taken, List<Finding> missing) {}

    @Override
    public Integer call() throws IOException {
        Installation installation = main.context().installation();
        boolean archives;
        Links.Placed placed;
        try (FileChannel _ = installation.lock()) {
            archives =
                    withoutArchives ? StartupArchives.areMade(installation.home()) : makeArchives(main, installation);
            placed = withoutLinks ? new Links.Placed(List.of(), List.of()) : new Links(installation).place();
        }
        List<Finding> missing;
        try (CommandContext.Connection connection = main.context().connectOrEmbed()) {
            missing = connection.client().request(new SpawnerRequest.Doctor(), DoctorAnswer.class).findings().stream()
                    .filter(finding -> finding.status() != FindingStatus.OK)
                    .toList();
        }
        Done done = new Done(archives, placed.links(), placed.taken(), missing);
        if (main.json()) {
            main.terminal().json(done);
        } else {
            print(installation, done);
        }
        return missing.stream().anyMatch(finding -> finding.status() == FindingStatus.FAIL) ? 1 : 0;
    }

    /** Makes those that are not there; says that it takes time. */
    static boolean makeArchives(Main main, Installation installation) {
        if (StartupArchives.areMade(installation.home())) {
            return true;
        }
        main.terminal().note("making the archives for a fast start: about half a minute");
        boolean made = StartupArchives.make(installation.home());
        if (!made) {
            main.terminal().note("not all of them could be made: Brig works, and starts slower");
        }
        return made;
    }

    private void print(Installation installation, Done done) {
        Terminal terminal = main.terminal();
        done.links().forEach(link -> terminal.println("linked " + link));
        done.taken().forEach(link -> terminal.note(link + " is something else, and stays"));
        if (!done.missing().isEmpty()) {
            terminal.println("");
            main.print(done.missing());
        }
        boolean onPath = !done.links().isEmpty()
                && List.of(String.valueOf(System.getenv("PATH")).split(":"))
                        .contains(Links.binFolder().toString());
        String brig = onPath ? "brig" : installation.command().toString();
        terminal.lines("""

                try next:
                  %s run demo-writer
                  %s serve""".formatted(brig, brig));
        if (!onPath && !done.links().isEmpty()) {
            terminal.note(Links.binFolder() + " is not on your PATH");
        }
    }
}

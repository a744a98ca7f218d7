package brig.cli;

import brig.cli.vm.KernelPackage;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig vm}.
 *
 * <p>Decision 0210.
 */
@Command(
        name = "vm",
        description = "Prepare virtual machines as walls (--wall vm).",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "A host needs QEMU (Debian: apt-get install qemu-system-x86) and a kernel for the machines:",
            "",
            "Examples:",
            "  brig vm image                          download Debian's kernel and prepare it",
            "  brig doctor                            show whether a machine boots, and how fast",
            "  brig run shell --wall vm -- uname -a"
        })
final class VmCommand {
    /** Debian's name for the newest one. */
    private static final String KERNEL = "linux-image-amd64";

    private static final Pattern DEPENDS = Pattern.compile("Depends: (linux-image-\\S+)");
    private static final int COMPLAINT_MAX = 500;

    @ParentCommand
    private Main main = new Main();

    private record Made(String folder, String kernel) {}

    @Command(
            description = "Make the kernel and the first files of virtual machines of a Debian package.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Nothing is installed: the package is downloaded with apt-get and unpacked in a temporary folder. Brig boots a",
                "machine of it once, when the first session asks for one, and all machines go on from there. Run it again for",
                "a newer kernel; sessions that run keep theirs.",
                "",
                "Examples:",
                "  brig vm image",
                "  brig vm image --from linux-image-6.1.0-56-amd64_6.1.192-2_amd64.deb   without a network",
                "  brig vm image --to /srv/brig-vm        with worker.vm.folder in brig.json"
            })
    int image(
            @Option(
                            names = "--from",
                            paramLabel = "PACKAGE",
                            description = "A package of a kernel that is here already.")
                    @Nullable
                    Path from,
            @Option(
                            names = "--to",
                            paramLabel = "FOLDER",
                            description = "Where to put them. Default: worker.vm.folder in brig.json, or its default.")
                    @Nullable
                    Path to)
            throws IOException {
        Path folder = to == null ? usualFolder() : to.toAbsolutePath();
        Files.createDirectories(folder);
        Path work = Files.createTempDirectory("brig-vm");
        try {
            Path archive = from == null ? download(work) : from.toAbsolutePath();
            note("unpacking " + archive.getFileName());
            Path root = Files.createDirectory(work.resolve("root"));
            run(work, List.of("dpkg-deb", "-x", archive.toString(), root.toString()));
            new KernelPackage(root).writeTo(folder, programs());
            if (main.json()) {
                main.terminal()
                        .json(new Made(folder.toString(), archive.getFileName().toString()));
            } else {
                note("virtual machines of " + archive.getFileName() + " are in " + folder + "; try next: "
                        + main.context().command("doctor"));
            }
            return 0;
        } finally {
            try (Stream<Path> all = Files.walk(work)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(each);
                }
            }
        }
    }

    private void note(String text) {
        if (!main.json()) {
            main.terminal().note(text);
        }
    }

    private Path usualFolder() {
        String named = main.context().config().worker().object("vm").text("folder", "");
        if (!named.isEmpty()) {
            return Path.of(named);
        }
        Path data = Paths.isRoot()
                ? main.context().paths().state()
                : Paths.xdg("XDG_DATA_HOME", ".local/share").resolve("brig");
        return data.resolve("vm");
    }

    private Path programs() {
        String named = System.getProperty("brig.native");
        return named == null ? main.context().home().resolve("lib/native") : Path.of(named);
    }

    private Path download(Path work) throws IOException {
        note("downloading " + KERNEL);
        Matcher newest = DEPENDS.matcher(run(work, List.of("apt-cache", "depends", KERNEL)));
        if (!newest.find()) {
            throw refused("apt-cache knows no " + KERNEL
                    + ": download a kernel of Debian 12 or later elsewhere, and give it with --from");
        }
        // As root, apt would download as a user that may not write here.
        run(work, List.of("apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", newest.group(1)));
        try (Stream<Path> files = Files.list(work)) {
            return files.filter(file -> file.toString().endsWith(".deb"))
                    .findFirst()
                    .orElseThrow(() -> refused("apt-get downloaded no package"));
        }
    }

    private static String run(Path folder, List<String> command) throws IOException {
        Path said = folder.resolve("said");
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
        } catch (IOException missing) {
            throw refused(command.getFirst() + " cannot be run: " + Reason.of(missing)
                    + ". It is part of Debian and Ubuntu; elsewhere, copy the folder that this command makes there");
        }
        try {
            int code = process.waitFor();
            String text = Files.readString(said, StandardCharsets.UTF_8);
            if (code != 0) {
                throw refused(String.join(" ", command) + " failed: "
                        + text.substring(0, Math.min(COMPLAINT_MAX, text.length()))
                                .strip());
            }
            return text;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw refused("interrupted");
        } finally {
            process.destroyForcibly();
        }
    }

    private static BrigException refused(String why) {
        return new BrigException(ErrorCode.NOT_FOUND, why);
    }
}

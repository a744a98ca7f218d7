package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.ImagesAnswer;
import brig.protocol.spawn.RootName;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig image}: images that are roots of walls. */
@Command(
        name = "image",
        description = "Take in, list and remove images: root file systems for walls instead of the host's own.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  brig image pull --from ./layout --name debian   an OCI layout, as skopeo and umoci write it",
            "  brig image pull --from /srv/rootfs              a plain folder, as mmdebstrap writes it",
            "  brig image list",
            "  brig run shell --root oci:debian -- 'cat /etc/os-release'",
            "  brig image rm debian"
        })
final class ImageCommand {
    private static final String NO_NAME = "[^a-z0-9._-]+";
    private static final String GLIBC = "glibc";
    private static final int DATE_LENGTH = 10;

    @ParentCommand
    private Main main = new Main();

    @Command(
            description = "Take in an image: unpack it, behind a wall, into a read-only folder.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Sessions that have the image of that name as their root keep the one that they started with.",
                "Devices, owners and setuid bits are left out. What the workers' user cannot read is left out, too.",
                "",
                "Examples:",
                "  brig image pull --from ./layout --name debian",
                "  brig image pull --from /srv/rootfs"
            })
    int pull(
            @Option(
                            names = "--from",
                            paramLabel = "FOLDER",
                            required = true,
                            description = "A folder of the gateway's host: an OCI layout, or the files themselves.")
                    Path from,
            @Option(
                            names = "--name",
                            paramLabel = "NAME",
                            description = "Its name, as in --root oci:NAME. Default: that of the folder.")
                    @Nullable
                    String name) {
        Path folder = from.toAbsolutePath().normalize();
        String named = name == null ? usualName(folder) : name;
        if (!main.json()) {
            main.terminal().note("unpacking " + folder);
        }
        main.show(new SpawnerRequest.PullImage(folder.toString(), named), ImagesAnswer.Image.class, this::print);
        return 0;
    }

    private static String usualName(Path folder) {
        String name =
                String.valueOf(folder.getFileName()).toLowerCase(Locale.ROOT).replaceAll(NO_NAME, "-");
        if (!RootName.isName(name)) {
            throw BrigException.invalid("--name", "is missing: the name of the folder is none for an image");
        }
        return name;
    }

    private void print(ImagesAnswer.Image image) {
        main.terminal()
                .println("oci:" + image.name() + " is " + image.digest() + ": " + image.files() + " files, "
                        + mebibytes(image)
                        + (image.leftOut() == 0 ? "" : "; " + image.leftOut() + " were left out"));
        if (!GLIBC.equals(image.library())) {
            main.terminal()
                    .note("it has no glibc, so agents that are installed on the host cannot run in it; programs of its"
                            + " own can");
        }
    }

    private static String mebibytes(ImagesAnswer.Image image) {
        return image.bytes() / 1_048_576 + " MiB";
    }

    @Command(
            description = "List the images.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  brig image list"})
    int list() {
        main.show(new SpawnerRequest.Images(), ImagesAnswer.class, this::print);
        return 0;
    }

    private void print(ImagesAnswer answer) {
        main.terminal()
                .table(
                        List.of("ROOT", "DIGEST", "SIZE", "LIBRARY", "USED", "SESSIONS"),
                        answer.images().stream().map(ImageCommand::row).toList());
        if (answer.images().isEmpty()) {
            main.terminal().note("there is none: brig image pull --from FOLDER");
        }
    }

    private static List<String> row(ImagesAnswer.Image image) {
        return List.of(
                "oci:" + image.name(),
                image.digest(),
                mebibytes(image),
                image.library() == null ? "none" : image.library(),
                Instant.ofEpochMilli(image.usedMs()).toString().substring(0, DATE_LENGTH),
                Integer.toString(image.uses()));
    }

    @Command(
            name = "rm",
            description = "Remove an image. Refused while a session has it as its root.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  brig image rm debian"})
    int remove(
            @Parameters(
                            paramLabel = "NAME",
                            description = "Its name, as 'brig image list' shows it, with or without oci:.")
                    String name) {
        String plain = name.startsWith("oci:") ? name.substring("oci:".length()) : name;
        main.show(
                new SpawnerRequest.RemoveImage(plain),
                ImagesAnswer.Image.class,
                image -> main.terminal().note("removed oci:" + image.name()));
        return 0;
    }
}

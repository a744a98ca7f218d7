package brig.cli;

import brig.project.ImageReference;
import brig.protocol.BrigException;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.ImagesAnswer;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.RootName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig image}: images that are roots of walls.
 *
 * <p>Decision 0208.
 */
@Command(
        name = "image",
        description = "Take in, list and remove images: root file systems for walls instead of the host's own.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  brig image pull debian:12                       from a registry, with skopeo",
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
    private static final long TIMEOUT_SECONDS_MAX = 86_400;

    @ParentCommand
    private Main main = new Main();

    /** Where an image comes from. */
    static final class Source {
        @Option(
                names = "--from",
                paramLabel = "FOLDER",
                description = "A folder of the gateway's host: an OCI layout, or the files themselves.")
        private @Nullable Path folder;

        @Parameters(
                paramLabel = "IMAGE",
                description = "An image of a registry, such as debian:12, or oci:FOLDER:TAG, oci-archive:FILE,"
                        + " docker-archive:FILE. Fetched with skopeo.")
        private @Nullable String image;
    }

    @Command(
            description = "Take in an image: unpack it, behind a wall, into a read-only folder.",
            mixinStandardHelpOptions = true,
            footer = {
                "",
                "Sessions that have the image of that name as their root keep the one that they started with.",
                "Devices, owners and setuid bits are left out. What the workers' user cannot read is left out, too.",
                "IMAGE is fetched as the user who calls, with the credentials of 'skopeo login' or 'docker login', and by its",
                "digest, which is shown.",
                "",
                "Examples:",
                "  brig image pull debian:12",
                "  brig image pull ghcr.io/owner/name@sha256:… --name tools",
                "  brig image pull docker-archive:./saved.tar --name saved",
                "  brig image pull --from ./layout --name debian",
                "  brig image pull --from /srv/rootfs"
            })
    int pull(
            @ArgGroup(exclusive = true, multiplicity = "1") Source source,
            @Option(
                            names = "--name",
                            paramLabel = "NAME",
                            description = "Its name, as in --root oci:NAME. Default: that of the folder or image.")
                    @Nullable
                    String name,
            @Option(
                            names = "--timeout",
                            paramLabel = "SECONDS",
                            defaultValue = "1800",
                            description = "How long skopeo may take. Default: 1800.")
                    long timeoutSeconds)
            throws IOException {
        if (source.image != null) {
            return fetch(ImageReference.parse(source.image), name, timeoutSeconds);
        }
        Path folder = Objects.requireNonNull(source.folder).toAbsolutePath().normalize();
        pull(folder, name == null ? usualName(folder) : name, null);
        return 0;
    }

    private int fetch(ImageReference image, @Nullable String name, long timeoutSeconds) throws IOException {
        String named = name == null ? image.usualName() : name;
        if (named == null) {
            throw BrigException.invalid("--name", "is missing: the name of the image is none here");
        }
        if (timeoutSeconds < 1 || timeoutSeconds > TIMEOUT_SECONDS_MAX) {
            throw BrigException.invalid("--timeout", "must be from 1 to " + TIMEOUT_SECONDS_MAX);
        }
        if (main.context().remote() != null) {
            throw BrigException.invalid(
                    "IMAGE", "is fetched to this host, and the gateway is on another one (BRIG_HOST): run this there");
        }
        // Whether there is a gateway, and it has images at all, before something large is fetched.
        try (GatewayClient client = main.context().connect()) {
            client.request(new SpawnerRequest.Images());
        }
        note("fetching " + image.forSkopeo());
        long bytesMax = main.context().config().worker().object("images").number("bytesMax", Long.MAX_VALUE);
        try (FetchFolder folder = FetchFolder.make()) {
            Skopeo.Fetched fetched = new Skopeo("skopeo", bytesMax, timeoutSeconds * 1000).fetch(image, folder.path());
            pull(fetched.layout(), named, fetched.source());
        }
        return 0;
    }

    private void note(String text) {
        if (!main.json()) {
            main.terminal().note(text);
        }
    }

    /** @param source where it was fetched from; null for a folder */
    private void pull(Path folder, String name, @Nullable ImageReference source) {
        note("unpacking " + folder);
        JsonObject answer;
        try (GatewayClient client = main.context().connect()) {
            answer = client.request(new SpawnerRequest.PullImage(folder.toString(), name));
        }
        if (main.json()) {
            main.terminal().json(source == null ? answer : answer.with("source", source.forSkopeo()));
            return;
        }
        print(answer.as(ImagesAnswer.Image.class));
        if (source != null) {
            main.terminal().println("from " + source.forSkopeo());
        }
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
            main.terminal().note("there is none: brig image pull IMAGE, or --from FOLDER");
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

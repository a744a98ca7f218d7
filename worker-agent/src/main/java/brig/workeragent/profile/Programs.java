package brig.workeragent.profile;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.json.JsonObject;
import brig.workeragent.wall.Confinement.Mount;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the programs of agents on this host. Two things are mounted read-only behind the wall: the package of the
 * program, and the folder of the profile's name beside its file.
 */
public final class Programs {
    /** Where the program's package appears behind the wall. */
    public static final Path PACKAGE = Path.of("/opt/brig/program");
    /** Where the files of the profile appear. */
    public static final Path FILES = Path.of("/opt/brig/files");

    /**
     * The result for a profile.
     *
     * @param program its path behind the wall; null if the profile installs none
     * @param version of the package; null if unknown
     * @param place the package or the program on the host; null if the profile installs none
     */
    public record Found(
            @Nullable String program,
            @Nullable String version,
            @Nullable Path place,
            List<Mount> mounts) {}

    private static final Logger LOG = LoggerFactory.getLogger(Programs.class);

    private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};
    private static final Pattern VERSION = Pattern.compile("\\d+\\.\\d+\\.\\d+[\\w.-]*");

    private final ProgramPlaces places;
    private final Path home;
    private final Function<Path, @Nullable Path> closedAbove;

    /**
     * @param home the folder of Brig itself
     * @param closedAbove the folder above a path that the workers' user cannot traverse; null for none
     */
    public Programs(ProgramPlaces places, Path home, Function<Path, @Nullable Path> closedAbove) {
        this.places = places;
        this.home = home;
        this.closedAbove = closedAbove;
    }

    /** @throws BrigException {@code COMMAND_NOT_FOUND}, with the command that installs it */
    public Found find(AgentProfiles.Named agent) {
        Install install = agent.profile().install();
        Path files = agent.files();
        List<Mount> own = files == null ? List.of() : List.of(new Mount(files, FILES, true));
        if (install.programs().isEmpty()) {
            return new Found(null, null, null, own);
        }
        List<Found> all = candidates(install);
        for (Found found : all) {
            if (closed(found) == null) {
                return new Found(
                        found.program(),
                        found.version(),
                        found.place(),
                        Stream.concat(own.stream(), found.mounts().stream()).toList());
            }
        }
        String what =
                "the program of the agent '" + agent.name() + "' is not on this host; install it: " + command(install);
        throw new BrigException(
                ErrorCode.COMMAND_NOT_FOUND,
                all.isEmpty()
                        ? what
                        : "the program of the agent '"
                                + agent.name()
                                + "' is at " + all.getFirst().place() + ", where the workers' user does not get: "
                                + closed(all.getFirst())
                                + " is closed to others; chmod o+x it, or install it for all: " + command(install));
    }

    private @Nullable Path closed(Found found) {
        return found.mounts().stream()
                .map(mount -> closedAbove.apply(mount.hostPath()))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** The programs found, in order of precedence: as in a shell, the first of the PATH. */
    private List<Found> candidates(Install install) {
        List<Found> found = new ArrayList<>();
        if (install.npm().isEmpty()) {
            inPackages(home, install, found);
            return found;
        }
        String npm = install.npm().substring(0, install.npm().lastIndexOf('@'));
        places.chosen().forEach(folder -> inPackages(folder, install, found));
        for (Path bin : places.bins()) {
            inPackages(ProgramPlaces.packagesOf(bin), install, found);
            alone(bin, install, found);
        }
        places.packages(npm).forEach(folder -> inPackages(folder, install, found));
        return found;
    }

    private static void inPackages(Path folder, Install install, List<Found> found) {
        for (String program : install.programs()) {
            Path file = folder.resolve(program);
            if (Files.isExecutable(file)) {
                found(file, root(folder, Path.of(program)), found);
                return;
            }
        }
    }

    /** A standalone program, as vendors' installers leave it. */
    private static void alone(Path bin, Install install, List<Found> found) {
        String name = String.valueOf(Path.of(install.programs().getFirst()).getFileName());
        try {
            Path real = bin.resolve(name).toRealPath();
            String realName = String.valueOf(real.getFileName());
            // Not a launcher of others, such as a version manager's single program behind all names.
            boolean itself =
                    realName.startsWith(name) || VERSION.matcher(realName).matches();
            if (itself && Files.isRegularFile(real) && Files.isExecutable(real) && isElf(real)) {
                found.add(new Found(
                        PACKAGE.resolve(name).toString(),
                        versionIn(real),
                        real,
                        List.of(new Mount(real, PACKAGE.resolve(name), true))));
            }
        } catch (IOException none) {
            LOG.trace("no {} in {}", name, bin);
        }
    }

    private static boolean isElf(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return Arrays.equals(in.readNBytes(ELF.length), ELF);
        }
    }

    /** Installers keep versions in folders or files named after them. */
    private static @Nullable String versionIn(Path real) {
        for (int i = real.getNameCount() - 1; i >= 0; i--) {
            Matcher version = VERSION.matcher(real.getName(i).toString());
            if (version.matches()) {
                return version.group();
            }
        }
        return null;
    }

    private static void found(Path file, Path root, List<Found> found) {
        try {
            Path real = root.toRealPath();
            found.add(new Found(
                    PACKAGE.resolve(root.relativize(file)).toString(),
                    version(real),
                    real,
                    List.of(new Mount(real, PACKAGE, true))));
        } catch (IOException e) {
            LOG.debug("cannot read {}: {}", root, e.toString());
        }
    }

    /** The innermost package of a program, else its folder. */
    private static Path root(Path folder, Path program) {
        Path root = folder.resolve(program).getParent();
        for (Path at = root; at != null && !at.equals(folder); at = at.getParent()) {
            if (Files.isRegularFile(at.resolve("package.json"))) {
                return at;
            }
        }
        return root == null ? folder : root;
    }

    private static @Nullable String version(Path root) {
        try {
            Path described = root.resolve("package.json");
            return Files.isRegularFile(described)
                    ? JsonObject.read(Files.readAllBytes(described)).text("version")
                    : null;
        } catch (IOException | BrigException e) {
            return null;
        }
    }

    private static String command(Install install) {
        return install.npm().isEmpty() ? "it comes with Brig" : "npm install -g --include=optional " + install.npm();
    }

    /** Whether the agents to be installed are present, and have their model routes. */
    public List<Finding> findings(AgentProfiles profiles, Policies policies) {
        List<Finding> findings = new ArrayList<>();
        for (AgentProfiles.Named agent : profiles.usable()) {
            Install install = agent.profile().install();
            if (!install.npm().isEmpty()) {
                findings.add(finding(agent, policies));
            }
        }
        return findings;
    }

    private Finding finding(AgentProfiles.Named agent, Policies policies) {
        String name = "agent " + agent.name();
        Install install = agent.profile().install();
        String tried = install.npm().substring(install.npm().lastIndexOf('@') + 1);
        try {
            Found found = find(agent);
            String version = found.version();
            // The platform's package may append the platform to the version.
            boolean same = version != null && (version.equals(tried) || version.startsWith(tried + "-"));
            String detail = (same
                            ? "version " + tried
                            : "version " + (version == null ? "unknown" : version) + "; tried was " + tried)
                    + ", " + found.place();
            return route(agent, policies, name, detail);
        } catch (BrigException e) {
            boolean none = candidates(install).isEmpty();
            return new Finding(
                    name,
                    FindingStatus.WARN,
                    none ? "not installed" : String.valueOf(e.getMessage()),
                    command(install));
        }
    }

    private static Finding route(AgentProfiles.Named agent, Policies policies, String name, String detail) {
        try {
            policies.find(null, agent.profile());
            return new Finding(name, FindingStatus.OK, detail, null);
        } catch (BrigException e) {
            boolean missing = e.code() == ErrorCode.MODEL_ROUTE_MISSING;
            return new Finding(
                    name,
                    FindingStatus.WARN,
                    detail + (missing ? "; no route to its model" : "; its policy cannot be used"),
                    String.valueOf(e.getMessage()));
        }
    }
}

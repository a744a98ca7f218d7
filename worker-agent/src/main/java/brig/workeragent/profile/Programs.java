package brig.workeragent.profile;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Json;
import brig.workeragent.profile.AgentProfile.Install;
import brig.workeragent.wall.Confinement.Mount;
import brig.workeragent.wall.Walls.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the programs of agents on this host. What a profile needs of the host is mounted read-only behind the wall, in
 * places of its own: the package of the program, and the folder that has the profile's name beside its file.
 */
public final class Programs {
    /** Where the program's package appears behind the wall. */
    public static final Path PACKAGE = Path.of("/opt/brig/program");
    /** Where the files that come with the profile appear. */
    public static final Path FILES = Path.of("/opt/brig/files");

    /**
     * What was found for a profile.
     *
     * @param program its path behind the wall; null where the profile installs none
     * @param version of the package; null where nobody says
     */
    public record Found(@Nullable String program, @Nullable String version, List<Mount> mounts) {}

    private final List<Path> nodeModules;
    private final Path home;

    /**
     * @param nodeModules folders in which npm installs packages for all
     * @param home the folder of Brig itself
     */
    public Programs(List<Path> nodeModules, Path home) {
        this.nodeModules = List.copyOf(nodeModules);
        this.home = home;
    }

    /** @throws BrigException {@code COMMAND_NOT_FOUND}, with the command that installs it */
    public Found find(AgentProfiles.Named agent) {
        List<Mount> mounts = new ArrayList<>();
        Path files = agent.files();
        if (files != null) {
            mounts.add(new Mount(files, FILES, true));
        }
        Install install = agent.profile().install();
        if (install.programs().isEmpty()) {
            return new Found(null, null, mounts);
        }
        for (Path folder : install.npm().isEmpty() ? List.of(home) : nodeModules) {
            for (String program : install.programs()) {
                Path file = folder.resolve(program);
                if (Files.isExecutable(file)) {
                    return found(file, root(folder, Path.of(program)), mounts);
                }
            }
        }
        throw new BrigException(ErrorCode.COMMAND_NOT_FOUND, "the program of the agent '" + agent.name()
                + "' is not on this host; install it: " + command(install));
    }

    private static Found found(Path file, Path root, List<Mount> mounts) {
        try {
            Path real = root.toRealPath();
            mounts.add(new Mount(real, PACKAGE, true));
            return new Found(PACKAGE.resolve(root.relativize(file)).toString(), version(real), mounts);
        } catch (IOException e) {
            throw new BrigException(ErrorCode.COMMAND_NOT_FOUND, "cannot read " + root + ": " + e);
        }
    }

    /** The innermost package that a program is part of, or else the folder that it lies in. */
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
                    && Json.parseObject(Files.readAllBytes(described)).get("version") instanceof String version ? version : null;
        } catch (IOException | BrigException e) {
            return null;
        }
    }

    private static String command(Install install) {
        return install.npm().isEmpty() ? "it comes with Brig" : "npm install -g --include=optional " + install.npm();
    }

    /** What is there of the agents that have to be installed. */
    public List<Finding> findings(AgentProfiles profiles) {
        List<Finding> findings = new ArrayList<>();
        for (AgentProfiles.Named agent : profiles.usable()) {
            Install install = agent.profile().install();
            if (!install.npm().isEmpty()) {
                findings.add(finding(agent, install));
            }
        }
        return findings;
    }

    private Finding finding(AgentProfiles.Named agent, Install install) {
        String name = "agent " + agent.name();
        String tried = install.npm().substring(install.npm().lastIndexOf('@') + 1);
        try {
            String version = find(agent).version();
            // The platform's package may have the platform behind the version.
            boolean same = version != null && (version.equals(tried) || version.startsWith(tried + "-"));
            return new Finding(name, "OK", same ? "version " + tried
                    : "version " + version + "; tried was " + tried, null);
        } catch (BrigException e) {
            return new Finding(name, "WARN", "not installed", command(install));
        }
    }
}

package brig.workeragent;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import brig.protocol.record.Settings;
import brig.workeragent.egress.EgressProcess;
import brig.workeragent.egress.confinement.ConfinedCommand;
import brig.workeragent.image.ImageUnpacker;
import brig.workeragent.image.Images;
import brig.workeragent.image.RootLayers;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.profile.ModelRoutes;
import brig.workeragent.profile.MountRules;
import brig.workeragent.profile.Policies;
import brig.workeragent.profile.ProgramPlaces;
import brig.workeragent.profile.Programs;
import brig.workeragent.sandbox.Reachability;
import brig.workeragent.sandbox.WallProfile;
import brig.workeragent.wall.ToolWall;
import brig.workeragent.wall.WallSettings;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of this worker-agent: the shipped defaults, overlaid by a configuration file, and the folders for which
 * empty paths stand.
 *
 * <p>Decision 0120.
 *
 * @param workspaces the base for which an empty path stands
 * @param gatewayUser as {@link CommandLine#gatewayUser}
 * @param file the configuration file that was named; null for the usual place
 * @param environment the variables of this process
 * @param root whether it runs as root, which selects the host's folders instead of a user's
 */
record Installation(
        WorkerAgentConfig config,
        Path home,
        Path runtimeDir,
        Path stateDir,
        Path workspaces,
        @Nullable String gatewayUser,
        @Nullable Path file,
        Map<String, String> environment,
        boolean root) {

    /** Without root a worker has our own uid, which does not identify the creator of a folder. */
    private static final int NOBODY = -1;

    /** Reads the files that the options name. @throws BrigException naming file and key */
    static Installation read(CommandLine options, Map<String, String> environment, boolean root) {
        Path file = options.config() != null ? options.config() : usualFile(environment, root);
        try {
            Keys keys = keys(options.home(), file, options.over());
            Path runtimeDir = options.runtimeDir();
            if (runtimeDir == null) {
                runtimeDir =
                        named(keys.runtimeDir(), underXdg(environment, root, "/run/brig", "XDG_RUNTIME_DIR", ".cache"));
            }
            Path stateDir = options.stateDir();
            if (stateDir == null) {
                stateDir = named(
                        keys.stateDir(),
                        underXdg(environment, root, "/var/lib/brig", "XDG_STATE_HOME", ".local/state"));
            }
            // A state folder that was named is one's own, with all that is in it; a user's usual folders are shared.
            Path data = root || options.stateDir() != null
                    ? stateDir
                    : underXdg(environment, false, "", "XDG_DATA_HOME", ".local/share");
            return new Installation(
                    keys.worker(),
                    options.home(),
                    runtimeDir,
                    stateDir,
                    data.resolve("workspaces"),
                    options.gatewayUser(),
                    options.config(),
                    environment,
                    root);
        } catch (BrigException e) {
            throw new BrigException(e.code(), (file == null ? "" : file + ": ") + e.getMessage());
        }
    }

    /** What of the file is for the worker-agent. */
    @Settings
    @Extensible
    private record Keys(String runtimeDir, String stateDir, WorkerAgentConfig worker) {}

    private static Keys keys(Path home, @Nullable Path file, JsonObject over) {
        JsonObject values = readFile(home.resolve("config/brig.json"));
        return (file == null ? values : overlay(values, readFile(file)))
                .overlaid(over)
                .as(Keys.class);
    }

    private static Path named(String text, Path absent) {
        return text.isEmpty() ? absent : Path.of(text);
    }

    /** As in the gateway: the host's file is for root, whose folders it names. */
    private static @Nullable Path usualFile(Map<String, String> environment, boolean root) {
        Path file = ownFolder(environment, root).resolve("brig.json");
        return Files.exists(file) ? file : null;
    }

    private Path ownFolder() {
        return ownFolder(environment, root);
    }

    private static Path ownFolder(Map<String, String> environment, boolean root) {
        return underXdg(environment, root, "/etc/brig", "XDG_CONFIG_HOME", ".config");
    }

    private static JsonObject readFile(Path file) {
        try {
            return JsonObject.readCommented(Files.readString(file));
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND, "cannot read the configuration " + file + ": " + Reason.withFile(e));
        } catch (BrigException e) {
            throw new BrigException(e.code(), file + ": " + e.getMessage());
        }
    }

    private static JsonObject overlay(JsonObject defaults, JsonObject over) {
        for (String key : new TreeSet<>(over.names())) {
            if (!defaults.names().contains(key)) {
                throw BrigException.invalid(key, "is not known here; known are " + new TreeSet<>(defaults.names()));
            }
        }
        return defaults.overlaid(over);
    }

    /** Whether this process can change to other users. */
    static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid") instanceof Integer uid && uid == 0;
    }

    List<Path> agentFolders() {
        return folders(config.agentDirs(), "agents");
    }

    /** The shipped folder, then the operator's own, which takes precedence. */
    private List<Path> folders(List<String> texts, String name) {
        return texts.stream()
                .flatMap(text -> text.isEmpty()
                        ? Stream.of(
                                home.resolve("config").resolve(name),
                                ownFolder().resolve(name))
                        : Stream.of(Path.of(text)))
                .distinct()
                .toList();
    }

    /** Configured folders that do not exist, as faults. */
    List<String> missingFolders() {
        return Stream.of(
                        Map.entry("worker.agentDirs", config.agentDirs()),
                        Map.entry("worker.policyDirs", config.policyDirs()))
                .flatMap(key -> key.getValue().stream()
                        .filter(folder -> !folder.isEmpty() && !Files.isDirectory(Path.of(folder)))
                        .map(folder -> key.getKey() + ": there is no folder " + folder))
                .toList();
    }

    AgentProfiles.Names agentNames() {
        return new AgentProfiles.Names(config.defaultAgent(), config.agentNames(), config.agentModels());
    }

    Programs programs() {
        return new Programs(
                new ProgramPlaces(environment), home, root ? Reachability::firstClosedFolder : path -> null);
    }

    Policies policies() {
        Path home = Path.of(environment.getOrDefault("HOME", "/root"));
        MountRules rules = new MountRules(
                List.of(home, Path.of(System.getProperty("user.home"))),
                List.of(stateDir, runtimeDir),
                workspaceBases(),
                root ? config.uid() : NOBODY);
        Path routes = config.routesDir().isEmpty() ? ownFolder().resolve("routes") : Path.of(config.routesDir());
        return new Policies(
                folders(config.policyDirs(), "policies"), rules, config.policies(), new ModelRoutes(routes));
    }

    /** Includes {@link #scratchBases}. */
    List<Path> workspaceBases() {
        return Stream.concat(paths(config.workspaceBases(), workspaces).stream(), scratchBases().stream())
                .toList();
    }

    List<Path> scratchBases() {
        return config.scratchBases().stream().map(Path::of).toList();
    }

    /**
     * The repositories in the current file, as operators may add one while Brig runs.
     *
     * @throws BrigException naming file and key
     */
    List<Path> repositories() {
        Path now = file != null ? file : usualFile(environment, root);
        return keys(home, now, JsonObject.EMPTY).worker().repositories().stream()
                .map(Path::of)
                .toList();
    }

    /** The wall's programs: from the build, or beside config in an installation. */
    private Path nativeFolder() {
        String named = System.getProperty("brig.native");
        return named == null ? home.resolve("lib/native") : Path.of(named);
    }

    /** The far end of a joint to that socket. */
    List<String> joiner(Path socket) {
        return List.of(nativeFolder().resolve("brig-join").toString(), socket.toString());
    }

    private WallSettings.Machines machines() {
        WorkerAgentConfig.Vm vm = config.vm();
        return new WallSettings.Machines(
                vm.qemu().isEmpty() ? null : Path.of(vm.qemu()),
                vm.folder().isEmpty() ? workspaces.resolveSibling("vm") : Path.of(vm.folder()),
                vm.memoryBytes(),
                vm.processors());
    }

    WallSettings wallSettings() {
        WallSettings.Limits limits = new WallSettings.Limits(
                config.memoryBytesMax(),
                config.pidsMax(),
                config.cpuPercentMax(),
                config.fileBytesMax(),
                config.openFilesMax(),
                config.tmpBytesMax(),
                config.homeBytesMax(),
                config.diskBytesMax());
        return new WallSettings(
                nativeFolder(),
                runtimeDir.resolve("wall"),
                workspaceBases(),
                config.uid(),
                config.startMs(),
                limits,
                config.limitsLevel(),
                config.diskReserveBytes(),
                new WallSettings.Tools(
                        config.tools().timeoutMs(), config.tools().memoryBytesMax()),
                config.runsc().isEmpty() ? null : Path.of(config.runsc()),
                machines());
    }

    /**
     * The command of brig-egress: this program's own classes in a JVM with little memory. {@code BRIG_EGRESS_JAVA_OPTS}
     * adds options.
     */
    EgressProcess.Services egressSetup() {
        List<String> options = new ArrayList<>(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-XX:+UseCompactObjectHeaders",
                "-XX:-UsePerfData",
                "-XX:-CreateCoredumpOnCrash",
                "-Xmx256m",
                // Netty would register its events with the JDK's recorder, which nobody starts, for 100 ms of CPU.
                "-Dio.netty.jfr.enabled=false",
                "-Dbrig.log=" + System.getProperty("brig.log", "INFO")));
        String added = System.getenv().getOrDefault("BRIG_EGRESS_JAVA_OPTS", "");
        Stream.of(added.split(" ", -1)).filter(option -> option.startsWith("-")).forEach(options::add);
        Path archive = home.resolve("lib/worker-agent.aot");
        ConfinedCommand.Program program = new ConfinedCommand.Program(
                Path.of(System.getProperty("java.home")),
                options,
                classPath(),
                Files.exists(archive) ? archive.toAbsolutePath() : null,
                nativeFolder().resolve("libbrig-filter.so").toAbsolutePath());
        List<Path> closed = Stream.concat(
                        Stream.of(
                                Path.of("/etc/shadow"),
                                stateDir.resolve("admin.token"),
                                stateDir.resolve("egress"),
                                Path.of(System.getProperty("user.home"))),
                        workspaceBases().stream())
                .toList();
        return new EgressProcess.Services(
                program,
                runtimeDir.resolve("egress"),
                stateDir.resolve("egress"),
                closed,
                environment,
                config.egress(),
                config.budget());
    }

    /** The images of this host, which {@code tools} unpacks for {@code user}. */
    Images images(ToolWall tools, WorkersUser user) {
        return new Images(
                new Images.Bounds(
                        workspaces.resolveSibling("images"),
                        config.images().bytesMax(),
                        config.images().filesMax(),
                        config.images().allBytesMax(),
                        config.images().keptMs(),
                        new RootLayers.Bounds(
                                workspaces.resolveSibling("roots"),
                                config.keptRoots().bytesMax(),
                                config.keptRoots().keptMs())),
                ImageUnpacker.ofThisJvm(tools, WallProfile.COVERED_IN_IMAGES),
                user,
                System::currentTimeMillis);
    }

    private static List<Path> classPath() {
        return Stream.of(System.getProperty("java.class.path").split(":", -1))
                .map(entry -> Path.of(entry).toAbsolutePath().normalize())
                .toList();
    }

    private static List<Path> paths(List<String> texts, Path empty) {
        return texts.stream()
                .map(text -> text.isEmpty() ? empty : Path.of(text))
                .toList();
    }

    private static Path underXdg(
            Map<String, String> environment, boolean root, String asRoot, String variable, String belowHome) {
        if (root) {
            return Path.of(asRoot);
        }
        String base = environment.getOrDefault(variable, "");
        String home = environment.getOrDefault("HOME", "/");
        return (base.isEmpty() ? Path.of(home, belowHome) : Path.of(base)).resolve("brig");
    }
}

package brig.loadtests.walls;

import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.loadtests.report.Console;
import brig.loadtests.report.Machine;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.WallKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code brig bench walls}. */
@Command(
        name = "walls",
        description = "What each kind of wall holds and costs, beside bubblewrap.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Starts the product itself with private folders. Of each wall: what it holds, measured from inside; the time",
            "from the request to the first output; memory (PSS) of all processes of eight idle sessions on the host, for",
            "each; a system call, of a million by dd; a file of C; the second 'git status' of a session; 'npm ci' of 20",
            "packages from files.",
            "The walls take turns. In brackets: how many times that of bubblewrap. A session that takes longer than --limit",
            "is ended, and its measure not repeated behind that wall. A wall that this host lacks is named with its mend.",
            "",
            "Memory needs the rights to look at those processes: root. gcc, git, nodejs and npm have to be in /usr.",
            "Exit code 1: something did not work behind a wall that is here, or it does not hold all that it declares.",
            "",
            "Examples:",
            "  brig bench walls",
            "  brig bench walls --walls bwrap,vm --only start,memory --json",
            "  brig bench walls --runsc /opt/gvisor/runsc --vm-folder /srv/brig-vm --limit 600"
        })
public final class WallsBench implements Callable<Integer> {
    private static final int EXIT_FAILED = 1;
    private static final int RUNS_MAX = 1000;
    private static final int FILES_MAX = 1_000_000;
    private static final int SECONDS_MAX = 3600;
    /** The first machine of all is booted. */
    private static final int FIRST_SECONDS_MAX = 300;

    private static final int IDLE_SESSIONS = 8;
    /** What starts is done by then. */
    private static final long IDLE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(2);

    @Option(names = "--walls", split = ",", paramLabel = "WALL", description = "Only these: bwrap, gvisor, vm.")
    private List<WallKind> kinds = List.of(WallKind.values());

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "MEASURE",
            description = "Only these: start, memory, syscall, compile, git, npm.")
    private List<Measure> measures = List.of(Measure.values());

    @Option(names = "--starts", description = "Starts of each wall.", defaultValue = "20")
    private int starts;

    @Option(names = "--runs", description = "Runs of each other measure.", defaultValue = "3")
    private int runs;

    @Option(names = "--files", description = "Files of the repository.", defaultValue = "50000")
    private int files;

    @Option(names = "--limit", description = "Seconds for each run.", defaultValue = "120")
    private int limitSeconds;

    @Option(names = "--runsc", paramLabel = "FILE", description = "gVisor's program, if it is not in /usr.")
    private @Nullable Path runsc;

    @Option(
            names = "--vm-folder",
            paramLabel = "FOLDER",
            description = "With the kernel that 'brig vm image' made; only if that was not its usual one.")
    private @Nullable Path vmFolder;

    @Mixin
    private Console console = new Console();

    @Override
    public Integer call() throws IOException {
        console.requireUpTo(RUNS_MAX, "--starts", starts);
        console.requireUpTo(RUNS_MAX, "--runs", runs);
        console.requireUpTo(FILES_MAX, "--files", files);
        console.requireUpTo(SECONDS_MAX, "--limit", limitSeconds);
        List<WallFigures> walls =
                new TreeSet<>(kinds).stream().map(WallFigures::new).toList();
        String machine = Machine.line();
        try (Brig brig = WallProduct.start(runsc, vmFolder)) {
            HttpWire.Place place = HttpWire.Place.unix(brig.httpSocket().toString());
            for (WallFigures wall : walls) {
                look(place, wall);
            }
            for (Measure measure : EnumSet.copyOf(measures)) {
                measure(brig, place, measure, walls);
            }
        }
        WallTable table = new WallTable(walls);
        if (console.isJson()) {
            console.print(JsonObject.builder()
                    .put("machine", machine)
                    .put("files", files)
                    .put("walls", table.json())
                    .build());
        } else {
            console.say(machine);
            table.lines().forEach(console::say);
        }
        return table.isWell() ? 0 : EXIT_FAILED;
    }

    private static JsonObject order(WallFigures wall, @Nullable String workspace) {
        JsonObject fields = JsonObject.builder().put("wall", wall.kind().word()).build();
        return workspace == null ? fields : fields.with("workspace", workspace);
    }

    /** Finds out whether the wall is here, and what it holds. */
    private void look(HttpWire.Place place, WallFigures wall) throws IOException {
        console.tell("a first session behind " + wall.kind().word());
        try (WalledSession session =
                WalledSession.start(place, order(wall, null), Measure.START.script(), FIRST_SECONDS_MAX)) {
            session.output();
            wall.measuredFromInside(session.posture());
        } catch (WalledSession.Refused | WalledSession.TooLong e) {
            wall.isMissing(String.valueOf(e.getMessage()));
        }
    }

    private void measure(Brig brig, HttpWire.Place place, Measure measure, List<WallFigures> walls) throws IOException {
        String workspace = null;
        if (measure.hasFolder()) {
            console.tell("making what " + measure.title() + " is measured with");
            try {
                workspace = switch (measure) {
                    case GIT -> Materials.repository(place, files);
                    case NPM -> Materials.npmProject(place);
                    default -> Materials.bigFile(place);
                };
            } catch (IOException e) {
                walls.forEach(wall ->
                        wall.end(measure, new Taken.Failed("there is nothing to measure with: " + e.getMessage())));
                return;
            }
        }
        int count = measure == Measure.START ? starts : runs;
        for (int run = 1; run <= count; run++) {
            for (WallFigures wall : walls) {
                if (wall.goesOn(measure)) {
                    console.tell(measure.title() + " behind " + wall.kind().word() + ", run " + run + " of " + count);
                    run(brig, place, measure, wall, workspace);
                }
            }
        }
    }

    private void run(Brig brig, HttpWire.Place place, Measure measure, WallFigures wall, @Nullable String workspace)
            throws IOException {
        JsonObject order = order(wall, workspace);
        try {
            if (measure == Measure.MEMORY) {
                wall.add(measure, idleMib(brig, place, order));
                return;
            }
            try (WalledSession session = WalledSession.start(place, order, measure.script(), limitSeconds)) {
                wall.add(measure, measure == Measure.START ? session.firstMs() : measure.value(session.output()));
            }
        } catch (WalledSession.TooLong e) {
            wall.end(measure, new Taken.Longer(limitSeconds));
        } catch (IOException | IllegalArgumentException e) {
            wall.end(measure, new Taken.Failed(String.valueOf(e.getMessage())));
        }
    }

    /** What each of several sessions has, as the programs of a wall are in memory once. */
    private double idleMib(Brig brig, HttpWire.Place place, JsonObject order) throws IOException {
        Set<Long> before = ProcessMemory.below(brig.workerAgents());
        List<WalledSession> sessions = new ArrayList<>();
        try {
            for (int i = 0; i < IDLE_SESSIONS; i++) {
                WalledSession session = WalledSession.start(place, order, Measure.MEMORY.script(), limitSeconds);
                sessions.add(session);
                session.firstMs();
            }
            LockSupport.parkNanos(IDLE_AFTER_NANOS);
            Set<Long> own = ProcessMemory.below(brig.workerAgents());
            own.removeAll(before);
            return ProcessMemory.mib(own) / IDLE_SESSIONS;
        } finally {
            for (WalledSession session : sessions) {
                session.close();
            }
        }
    }
}

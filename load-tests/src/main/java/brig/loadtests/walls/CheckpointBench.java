package brig.loadtests.walls;

import brig.loadtests.product.Brig;
import brig.loadtests.product.HttpWire;
import brig.loadtests.report.Console;
import brig.loadtests.report.Machine;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code brig bench checkpoint}. */
@Command(
        name = "checkpoint",
        description = "What a checkpoint of a large worktree takes: time, and bytes that Brig keeps more.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Starts the product itself with private folders, and makes a repository of files of 64 KiB in it, and a session",
            "with a worktree of that. Each round changes files and asks for a checkpoint; the first one is told by itself.",
            "Needs three times --mib of disk, in the folder for temporary files.",
            "Exit code 3: at the median it takes more than 1 s, or keeps more than 1 MiB.",
            "",
            "Examples:",
            "  brig bench checkpoint",
            "  brig bench checkpoint --mib 64 --runs 3 --json"
        })
public final class CheckpointBench implements Callable<Integer> {
    private static final int EXIT_TOO_SLOW = 3;
    private static final int SECONDS_MAX = 1800;
    private static final int MIB_MAX = 8192;
    private static final int RUNS_MAX = 150;
    private static final int FILES_PER_MIB = 16;
    private static final String REPOSITORY = """
            set -e
            git init -q .
            head -c $((mib * 786432)) /dev/urandom | base64 -w 0 | split -b 65536 -a 6 -d - file
            for d in $(seq -f %04.0f 0 $((mib * 16 / 100))); do
                mkdir folder$d
                mv file$d?? folder$d/ 2>/dev/null || rmdir folder$d
            done
            git -c core.compression=0 add .
            git -c user.name=bench -c user.email=bench@example.org commit -qm files
            """;

    @Option(names = "--mib", description = "Size of the worktree.", defaultValue = "1024")
    private int mib;

    @Option(names = "--changed", description = "Files that change before each checkpoint.", defaultValue = "10")
    private int changed;

    @Option(names = "--runs", description = "Checkpoints after the first one.", defaultValue = "7")
    private int runs;

    @Mixin
    private Console console = new Console();

    private record Checkpoint(double ms, double bytes) {}

    @Override
    public Integer call() throws IOException {
        console.requireUpTo(MIB_MAX, "--mib", mib);
        console.requireUpTo(RUNS_MAX, "--runs", runs);
        console.requireUpTo(mib * FILES_PER_MIB, "--changed", changed);
        String machine = Machine.line();
        try (Brig brig = WallProduct.start(null, null)) {
            HttpWire.Place place = HttpWire.Place.unix(brig.httpSocket().toString());
            JsonObject order = JsonObject.builder()
                    .put("workspace_mode", "worktree")
                    .put("repository", repository(place))
                    .put("once", false)
                    .build();
            console.tell("making the worktree");
            try (WalledSession session = WalledSession.start(place, order, Measure.START.script(), SECONDS_MAX)) {
                session.firstMs();
                return report(machine, place, session);
            }
        }
    }

    private String repository(HttpWire.Place place) throws IOException {
        console.tell("making a repository of " + mib + " MiB");
        return Materials.make(place, "mib=" + mib + "\n" + REPOSITORY);
    }

    private int report(String machine, HttpWire.Place place, WalledSession session) throws IOException {
        List<Path> files = files(Path.of(session.workspace()));
        Checkpoint first = take(place, session, files, 0);
        Taken.Values ms = Taken.Values.NONE;
        Taken.Values bytes = Taken.Values.NONE;
        for (int run = 1; run <= runs; run++) {
            console.tell("checkpoint " + run + " of " + runs);
            Checkpoint taken = take(place, session, files, run);
            ms = ms.with(taken.ms);
            bytes = bytes.with(taken.bytes);
        }
        CheckpointFigures figures = new CheckpointFigures(ms, bytes);
        if (console.isJson()) {
            console.print(figures.json()
                    .with("machine", machine)
                    .with("mib", mib)
                    .with("files", files.size())
                    .with("changed", changed)
                    .with("first_ms", first.ms));
        } else {
            console.say(machine);
            console.say(String.format(
                    Locale.ROOT,
                    "%d MiB in %d files, of which %d change; the first checkpoint takes %.0f ms",
                    mib,
                    files.size(),
                    changed,
                    first.ms));
            figures.lines().forEach(console::say);
        }
        return figures.holds() ? 0 : EXIT_TOO_SLOW;
    }

    private static List<Path> files(Path worktree) throws IOException {
        try (Stream<Path> all = Files.walk(worktree)) {
            return all.filter(file -> file.getFileName().toString().startsWith("file"))
                    .sorted()
                    .toList();
        }
    }

    /** Changes files all over the worktree, then takes a checkpoint. */
    private Checkpoint take(HttpWire.Place place, WalledSession session, List<Path> files, int run) throws IOException {
        for (int i = 0; i < changed; i++) {
            Path file = files.get((int) (((long) i * files.size() / changed + run) % files.size()));
            Files.writeString(file, "changed in round " + run + "\n", StandardOpenOption.APPEND);
        }
        byte[] request = place.request("POST", "/api/v1/spawns/" + session.id() + "/checkpoints", "{}");
        try (HttpWire wire = place.connect()) {
            long start = System.nanoTime();
            JsonObject taken = wire.send(request).answer(201);
            return new Checkpoint((System.nanoTime() - start) / 1e6, taken.number("bytes", 0));
        }
    }
}

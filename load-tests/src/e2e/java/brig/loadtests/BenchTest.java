package brig.loadtests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The installed benchmark: that it measures, not what. Its own worker-agent speaks to the product. */
@Timeout(600)
@Tag("slow")
class BenchTest {
    @TempDir
    Path folder;

    @Test
    void shouldMeasureTheProduct() throws IOException, InterruptedException {
        Path figures = folder.resolve("figures.json");
        run("fan-out-ws", "--peers=brig", "--rounds=1", "--seconds=1", "--json=" + figures);
        JsonObject run = JsonObject.read(Files.readAllBytes(figures))
                .objects("scenarios")
                .getFirst()
                .objects("peers")
                .getFirst()
                .objects("runs")
                .getFirst();
        // A machine that has other work may void a run; only a fault breaks it.
        assertTrue(List.of("OK", "VOID").contains(run.text("outcome", "")), () -> said());
    }

    /** Its lines must be enough that the clock of each process, which a kernel reads every few milliseconds, finds it at work. */
    @Test
    void shouldMeasureTheWholePath() throws IOException, InterruptedException {
        run(
                "whole",
                "--streams=2",
                "--rate=400",
                "--warm-up=1",
                "--seconds=2",
                "--idle=1",
                "--at-once=2",
                "--peers=brig,pipe",
                "--profile=" + folder,
                "--json");
        JsonObject figures = JsonObject.read(Files.readAllBytes(folder.resolve("out")));
        assertEquals(0, figures.number("faults", -1), () -> said());
        assertTrue(figures.number("lines_read", 0) > 0, () -> said());
        assertEquals(0, figures.number("pipe.faults", -1), () -> said());
        assertTrue(figures.number("pipe.lines_read", 0) > 0, () -> said());
        for (String process : List.of("gateway", "worker-agent")) {
            String graph = Files.readString(folder.resolve(process + ".svg"));
            assertTrue(graph.contains("CPU time of the " + process) && graph.contains("Thread.run"), graph);
        }
        for (String one : List.of(
                "worker-agent.cpu_s_per_million",
                "write_to_read_p99_ms",
                "idle_1.gateway.kib_each_more",
                "spawn_2_at_once.p50_ms",
                "pipe.deliverer.cpu_s_per_million",
                "pipe.write_to_read_p99_ms")) {
            assertTrue(figures.value(one) != null, () -> one + " is missing: " + said());
        }
    }

    @Test
    void shouldMeasureWhatABudgetAdds() throws IOException, InterruptedException {
        int exitCode = exitCode("route", "--requests=20", "--rounds=1", "--json");
        // A machine that has other work may break the bound.
        assertTrue(exitCode == 0 || exitCode == 3, () -> said());
        JsonObject figures = JsonObject.read(Files.readAllBytes(folder.resolve("out")));
        for (String one : List.of("no_budget.p99_ms", "one_purse.p50_ms", "four_purses.added_p50_ms")) {
            assertTrue(figures.value(one) instanceof Double, () -> one + " is missing: " + said());
        }
    }

    @Test
    void shouldMeasureAWall() throws IOException, InterruptedException {
        run(
                "walls",
                "--walls=bwrap",
                "--only=start,memory,syscall,git",
                "--starts=2",
                "--runs=1",
                "--files=200",
                "--limit=300",
                "--json");
        JsonObject wall = JsonObject.read(Files.readAllBytes(folder.resolve("out")))
                .object("walls")
                .object("bwrap");
        assertEquals("bwrap", wall.object("posture").text("wall"));
        for (String one : List.of("start_ms", "idle_mib", "syscall_ns", "git_status_ms")) {
            assertTrue(wall.object(one).value("p50") instanceof Double, () -> one + " is missing: " + said());
        }
    }

    @Test
    void shouldMeasureCheckpoints() throws IOException, InterruptedException {
        int exitCode = exitCode("checkpoint", "--mib=2", "--changed=3", "--runs=2", "--json");
        // A machine that has other work may break the bound.
        assertTrue(exitCode == 0 || exitCode == 3, () -> said());
        JsonObject figures = JsonObject.read(Files.readAllBytes(folder.resolve("out")));
        assertEquals(32, figures.number("files", 0), () -> said());
        // Three files that cannot be packed to less than half.
        double kept = (Double) figures.object("bytes").elements("values").getFirst();
        assertTrue(kept > 3 * 32 * 1024 && kept < 4 * 64 * 1024, () -> said());
    }

    @Test
    void shouldMeasureGatewaysThatShareAHost() throws IOException, InterruptedException {
        Path server = Path.of(System.getProperty("brig.nats", ""), "usr/sbin/nats-server");
        Assumptions.assumeTrue(
                Files.isExecutable(server), "no nats-server of 2.10.23 or later could be unpacked (unpack-nats)");
        int exitCode = exitCode(
                "cluster",
                "--nats-server=" + server,
                "--ways=cluster,elsewhere",
                "--loads=stream,paced",
                "--streams=2",
                "--rate=20",
                "--rounds=1",
                "--warm-up=2",
                "--seconds=2",
                "--json");
        // A machine that has other work may break the bounds.
        assertTrue(exitCode == 0 || exitCode == 3, () -> said());
        JsonObject ways =
                JsonObject.read(Files.readAllBytes(folder.resolve("out"))).object("ways");
        JsonObject stream = ways.object("cluster").object("stream");
        for (String one : List.of("frames_per_second", "cpu_per_million", "nats_cpu_per_million")) {
            assertTrue((Double) stream.object(one).value("median") > 0, () -> one + ": " + said());
        }
        for (String way : List.of("cluster", "three_elsewhere")) {
            JsonObject paced = ways.object(way).object("paced");
            assertTrue((Double) paced.object("p50_ms").value("median") > 0, () -> way + ": " + said());
        }
    }

    private void run(String... arguments) throws IOException, InterruptedException {
        assertEquals(0, exitCode(arguments), () -> said());
    }

    private int exitCode(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("brig.home") + "/bin/brig", "bench"));
        command.addAll(List.of(arguments));
        Process bench = new ProcessBuilder(command)
                .redirectError(folder.resolve("err").toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .start();
        return bench.waitFor();
    }

    private String said() {
        try {
            return Files.readString(folder.resolve("out")) + Files.readString(folder.resolve("err"));
        } catch (IOException e) {
            return e.toString();
        }
    }
}

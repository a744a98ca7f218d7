package brig.gateway.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.gateway.cluster.SimulatedCluster.Node;
import brig.gateway.spawn.AcceptedSpawn;
import brig.gateway.stream.RecordingSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Three gateways and two hosts for some twenty seconds, in which gateways are killed, stopped and cut off, hosts are out of reach,
 * disks are full, and answers are lost. Afterwards every frame of every worker is in the log once, in order, from owners of
 * growing terms; and every gateway shows exactly that.
 */
class ClusterScheduleTest {
    private static final int SCHEDULES = Integer.getInteger("cluster.schedules", 200);
    private static final long TAKEOVER_MS = 10_000;
    /** Of one schedule alone: {@code -Dcluster.seed=17}. */
    private static final Integer SEED = Integer.getInteger("cluster.seed");

    @Test
    void shouldLoseNoFrameAndWriteNoneTwiceWhateverHappensToGateways() {
        List<String> faults = new ArrayList<>();
        for (int seed = SEED == null ? 0 : SEED; seed < (SEED == null ? SCHEDULES : SEED + 1); seed++) {
            try {
                for (String fault : new Schedule(seed).run()) {
                    faults.add("seed " + seed + ": " + fault);
                }
            } catch (RuntimeException | AssertionError e) {
                faults.add("seed " + seed + ": " + e + " at "
                        + List.of(e.getStackTrace()).subList(0, 3));
            }
        }
        assertEquals("", String.join("\n", faults));
    }

    @Test
    void shouldShowAtEveryGatewayWithinTenSecondsWhatWasSaidUntilTheOwnerWasKilled() {
        List<String> late = new ArrayList<>();
        for (int seed = 0; seed < SCHEDULES; seed++) {
            long tookMs = killOwner(seed);
            if (tookMs > TAKEOVER_MS) {
                late.add("seed " + seed + ": " + tookMs + " ms");
            }
        }
        assertEquals(List.of(), late);
    }

    /** @return how long it took until the last gateway showed all that was said until then */
    private static long killOwner(int seed) {
        SimulatedCluster all = new SimulatedCluster(seed, 3, 1);
        Random random = new Random(seed * 17L + 3);
        all.await("somebody owns the host", 15_000, () -> all.owner("w1") != null);
        Node owner = all.owner("w1");
        all.await(
                "it is in reach", 5_000, () -> owner.cluster.hosts().getFirst().up());
        var accepted = owner.begin("w1", "fix");
        all.await("it began", 5_000, accepted::isDone);
        String spawnId = accepted.join().spawnId();
        all.await("it runs", 5_000, () -> all.hosts.get("w1").workers.containsKey(spawnId));
        all.time.pass(random.nextInt(3_000));
        owner.kill();
        int said = all.hosts.get("w1").workers.get(spawnId).said.size();
        List<Node> others =
                all.nodes.values().stream().filter(node -> node.alive).toList();
        return all.await(
                "all show it",
                60_000,
                () -> others.stream()
                        .allMatch(node -> node.find(spawnId) != null
                                && node.find(spawnId).log().lastSeq() >= said));
    }

    private static final Pattern RANGE = Pattern.compile("(gap )?(\\d+)-(\\d+).*");

    private static final class Schedule {
        private final Random random;
        private final SimulatedCluster all;
        private final Map<String, String> hostOf = new TreeMap<>();
        private final List<Asked> begun = new ArrayList<>();
        private final StringBuilder story = new StringBuilder();

        private record Asked(CompletableFuture<AcceptedSpawn> answer, Node node, int life) {
            /** Who asked a gateway that was killed has no answer. */
            boolean isSettled() {
                return answer.isDone() || node.life() != life;
            }
        }

        Schedule(int seed) {
            random = new Random(seed * 31L + 7);
            all = new SimulatedCluster(seed, 3, 2);
        }

        List<String> run() {
            for (String host : all.hosts.keySet()) {
                all.await("somebody owns " + host, 15_000, () -> all.owner(host) != null);
            }
            all.shared.losesPercent = random.nextInt(3) * 8;
            for (int i = 0; i < 20; i++) {
                if (i % 4 == 0) {
                    begin("task" + i);
                }
                disturb();
                all.pass(200 + random.nextInt(1_500));
            }
            heal();
            return judge();
        }

        private void begin(String task) {
            String host = "w" + (1 + random.nextInt(2));
            Node node = any();
            if (node.alive && !node.stopped) {
                var accepted = node.begin(host, task);
                begun.add(new Asked(accepted, node, node.life()));
                accepted.thenAccept(spawn -> hostOf.put(spawn.spawnId(), host));
            }
        }

        private Node any() {
            List<Node> nodes = List.copyOf(all.nodes.values());
            return nodes.get(random.nextInt(nodes.size()));
        }

        private void disturb() {
            Node node = random.nextBoolean() ? any() : ownerOr(any());
            long untilMs = 500 + random.nextInt(9_000);
            int life = node.life();
            if (!node.alive || node.stopped || node.end.cut) {
                return;
            }
            switch (random.nextInt(8)) {
                case 0 -> {
                    tell("kill " + node.name);
                    node.kill();
                    all.time.after(untilMs, () -> {
                        tell("start " + node.name);
                        node.start();
                    });
                }
                case 1 -> stop(node, untilMs);
                case 2 -> {
                    tell("cut " + node.name);
                    MemoryShared.End end = node.end;
                    end.cut = true;
                    all.time.after(untilMs, () -> {
                        tell("join " + node.name);
                        end.cut = false;
                    });
                }
                case 3 -> {
                    SimulatedHost host = all.hosts.get("w" + (1 + random.nextInt(2)));
                    if (!host.isCut()) {
                        tell("cut a host");
                        host.cut(untilMs);
                    }
                }
                case 4 -> {
                    tell("full");
                    all.shared.full = true;
                    all.time.after(untilMs / 2, () -> {
                        tell("room");
                        all.shared.full = false;
                    });
                }
                case 5 -> {
                    tell("full " + node.name);
                    node.setFull(true);
                    all.time.after(untilMs, () -> {
                        tell("room " + node.name);
                        node.setFull(false);
                    });
                }
                case 6 -> {
                    tell("late " + node.name);
                    MemoryShared.End end = node.end;
                    end.lateMs = 2_500 + random.nextInt(9_000);
                    all.time.after(1 + random.nextInt(100), () -> {
                        end.lateMs = 0;
                        if (node.life() == life && !node.stopped) {
                            stop(node, untilMs);
                        }
                    });
                }
                default -> {}
            }
        }

        private void stop(Node node, long untilMs) {
            int life = node.life();
            tell("stop " + node.name);
            node.stop();
            all.time.after(untilMs, () -> {
                if (node.life() == life) {
                    tell("go " + node.name);
                    node.go();
                }
            });
        }

        private Node ownerOr(Node other) {
            Node owner = all.owner("w1");
            return owner == null ? other : owner;
        }

        private void tell(String what) {
            story.append(all.time.nowMs() % 1_000_000).append(' ').append(what).append("; ");
        }

        private void heal() {
            all.pass(10_000);
            all.shared.losesPercent = 0;
        }

        /** Whether a reader got all that was said, in order, or was told what it did not get. */
        private static boolean shows(RecordingSink reader, List<String> said, boolean gaps) {
            StringBuilder expected = new StringBuilder();
            int next = 1;
            for (String entry : reader.joined()) {
                Matcher range = RANGE.matcher(entry);
                if (range.matches()) {
                    int first = Integer.parseInt(range.group(2));
                    int last = Integer.parseInt(range.group(3));
                    boolean gap = range.group(1) != null;
                    if (first != next || last > said.size() || (gap && !gaps)) {
                        return false;
                    }
                    next = last + 1;
                    expected.append(gap ? "" : String.join("", said.subList(first - 1, last)));
                }
            }
            return next == said.size() + 1 && reader.text().contentEquals(expected);
        }

        private List<String> judge() {
            List<String> faults = new ArrayList<>();
            all.await("all were answered " + story, 60_000, () -> begun.stream().allMatch(Asked::isSettled));
            hostOf.forEach((spawnId, host) -> {
                for (Node node : all.nodes.values()) {
                    boolean ended = all.passes(
                            180_000,
                            () -> node.find(spawnId) != null
                                    && node.find(spawnId).state().isFinal());
                    if (!ended) {
                        faults.add(spawnId + " has not ended at " + node.name + all.describe(host, spawnId));
                        return;
                    }
                }
                if (!all.passes(60_000, () -> all.isWritten(host, spawnId))) {
                    faults.add(spawnId + " is not durable" + all.describe(host, spawnId));
                }
                faults.addAll(all.faults(host, spawnId));
                SimulatedHost.Worker worker = all.hosts.get(host).workers.get(spawnId);
                for (Node node : all.nodes.values()) {
                    // It may begin again, where what is shared did not answer.
                    if (!all.passes(20_000, () -> node.find(spawnId) != null)) {
                        faults.add(spawnId + " is not known at " + node.name + all.describe(host, spawnId));
                        return;
                    }
                    RecordingSink reader = node.read(spawnId);
                    if (!all.passes(20_000, reader::isEnded)) {
                        faults.add(spawnId + " cannot be read at " + node.name + ": " + reader.story()
                                + all.describe(host, spawnId));
                    }
                    List<String> said = worker == null ? List.of() : worker.said;
                    if (!shows(reader, said, node.wasFull)) {
                        faults.add(node.name + " shows other frames of " + spawnId + " than its worker said: "
                                + reader.story() + all.describe(host, spawnId));
                    }
                }
            });
            all.hosts.forEach((name, host) -> host.workers.forEach((spawnId, worker) -> {
                if (!worker.ended) {
                    all.await(spawnId + " is no orphan " + story, 60_000, () -> worker.ended);
                }
            }));
            faults.addAll(all.faults);
            return faults.isEmpty() ? faults : List.of(faults + " " + story);
        }
    }
}

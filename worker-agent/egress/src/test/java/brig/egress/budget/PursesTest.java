package brig.egress.budget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PursesTest {
    private static final long DAY_MS = 86_400_000;
    private static final PurseSpec ROOT = PurseSpec.ofSession("root", money(1_000));
    private static final PurseSpec CHILD = PurseSpec.ofSession("child", money(400));

    private final Disk disk = new Disk();
    private final List<String> told = new ArrayList<>();
    private long nowMs = 10 * DAY_MS;
    private Purses purses = purses();

    /** What the kernel has of a file. */
    private static final class Disk implements LedgerFile {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private int room = Integer.MAX_VALUE;

        @Override
        public void write(byte[] more) throws IOException {
            int length = Math.min(room, more.length);
            bytes.write(more, 0, length);
            room -= length;
            if (length < more.length) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        public void close() {}
    }

    private static Limit money(long nanos) {
        return new Limit(nanos, null, null);
    }

    private static Amount nanos(long nanos) {
        return new Amount(nanos, 0, 0);
    }

    private Purses purses() {
        return new Purses(() -> nowMs, new Purses.Listener() {
            @Override
            public void handleStep(PurseView purse) {
                told.add(purse.name() + " " + purse.percent());
            }

            @Override
            public void handleFull() {
                told.add("full");
            }
        });
    }

    private static LedgerReplay replay(byte[] bytes) {
        LedgerReplay replay = new LedgerReplay();
        int from = 0;
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] == '\n') {
                replay.add(bytes, from, at - from);
                from = at + 1;
            }
        }
        return replay;
    }

    private static Map<String, Amount> spent(byte[] bytes) {
        Map<String, Amount> spent = new HashMap<>();
        replay(bytes).finish().forEach(line -> spent.put(line.purse(), line.amount()));
        return spent;
    }

    private void begin(PurseSpec... specs) throws IOException {
        purses.begin(disk);
        purses.open(List.of(specs));
    }

    private Purses.Reservation reserve(long nanos, PurseSpec... charged) throws SpentException {
        return purses.reserve(List.of(charged), nanos(nanos));
    }

    private PurseView refused(long nanos, PurseSpec... charged) {
        SpentException e = assertThrows(SpentException.class, () -> reserve(nanos, charged));
        return Objects.requireNonNull(e.purse());
    }

    @Test
    void shouldRefuseWhatDoesNotFitBesideWhatIsReserved() throws Exception {
        begin(CHILD, ROOT);
        Purses.Reservation first = reserve(300, CHILD, ROOT);
        assertEquals("child", refused(101, CHILD, ROOT).name());
        first.settle(nanos(50));
        first.settle(nanos(999));
        reserve(350, CHILD, ROOT);
        assertEquals(new PurseView("root", nanos(50), nanos(350), money(1_000), 5), purses.view("root"));
    }

    @Test
    void shouldRefuseAChildWhatItsParentLacks() throws Exception {
        begin(CHILD, ROOT);
        reserve(700, ROOT).settle(nanos(700));
        assertEquals("root", refused(301, CHILD, ROOT).name());
        reserve(300, CHILD, ROOT);
        assertEquals("root", refused(1, ROOT).name());
    }

    @Test
    void shouldCountMoreThanWasReserved() throws Exception {
        begin(ROOT);
        reserve(100, ROOT).settle(nanos(1_200));
        assertEquals(nanos(1_200), purses.view("root").used());
        refused(0, ROOT);
        assertEquals(List.of("root 100"), told);
    }

    @Test
    void shouldTellEachStepOnceAndAgainWhenTheLimitIsRaised() throws Exception {
        begin(ROOT);
        reserve(499, ROOT).settle(nanos(499));
        reserve(1, ROOT).settle(nanos(1));
        reserve(299, ROOT).settle(nanos(299));
        reserve(1, ROOT).settle(nanos(1));
        assertEquals(List.of("root 50", "root 80"), told);
        purses.limit("root", money(2_000));
        reserve(800, ROOT).settle(nanos(800));
        assertEquals(List.of("root 50", "root 80", "root 40", "root 80"), told);
    }

    @Test
    void shouldHaveAPurseForEachDay() throws Exception {
        PurseSpec day = PurseSpec.ofDay(money(100));
        begin();
        reserve(100, day).settle(nanos(100));
        assertEquals(
                new PurseOwner(PurseOwner.Kind.DAY, ""),
                PurseSpec.ownerOf(refused(1, day).name()));
        nowMs += DAY_MS;
        reserve(100, PurseSpec.ofCaptain("uid:7", money(100)), day);
        assertEquals(
                new PurseOwner(PurseOwner.Kind.CAPTAIN, "uid:7"),
                PurseSpec.ownerOf(
                        refused(1, PurseSpec.ofCaptain("uid:7", money(100))).name()));
    }

    @Test
    void shouldLetNothingOutWithoutALedger() throws Exception {
        purses.open(List.of(ROOT));
        assertNull(assertThrows(SpentException.class, () -> reserve(1, ROOT)).purse());
        begin();
        disk.room = 30;
        assertNull(assertThrows(SpentException.class, () -> reserve(1, ROOT)).purse());
        disk.room = Integer.MAX_VALUE;
        reserve(7, ROOT).settle(nanos(5));
        assertEquals(Map.of("root", nanos(5)), spent(disk.bytes.toByteArray()));
        assertEquals(nanos(5), purses.view("root").used());
    }

    @Test
    void shouldCountTheReservationWhereItsSettlementCannotBeWritten() throws Exception {
        begin(ROOT);
        Purses.Reservation open = reserve(40, ROOT);
        disk.room = 10;
        open.settle(nanos(3));
        assertEquals(nanos(40), purses.view("root").used());
        assertEquals(Map.of("root", nanos(40)), spent(disk.bytes.toByteArray()));
    }

    /** Scenario: a ledger begins while a request is under way, and the process is killed at any byte of its head. */
    @Test
    void shouldGoOnInALedgerOnlyWhenItsHeadIsWhole() throws Exception {
        begin(ROOT);
        reserve(30, ROOT).settle(nanos(20));
        Purses.Reservation open = reserve(40, ROOT);
        Disk next = new Disk();
        purses.begin(next);
        byte[] head = next.bytes.toByteArray();
        for (int length = 0; length < head.length; length++) {
            assertFalse(replay(java.util.Arrays.copyOf(head, length)).isComplete());
        }
        assertEquals(Map.of("root", nanos(60)), spent(head));
        open.settle(nanos(1));
        assertEquals(Map.of("root", nanos(21)), spent(next.bytes.toByteArray()));
    }

    @Test
    void shouldAskForANewLedgerOnce() throws Exception {
        begin(ROOT);
        while (!told.contains("full")) {
            reserve(0, ROOT).settle(Amount.NONE);
        }
        reserve(0, ROOT);
        assertEquals(List.of("full"), told);
        assertTrue(disk.bytes.size() > Purses.LEDGER_BYTES_MAX);
        Disk next = new Disk();
        purses.begin(next);
        assertTrue(next.bytes.size() < 500, () -> "bytes: " + next.bytes.size());
    }

    @Test
    void shouldForgetWhatNobodyUsesForLong() throws Exception {
        begin(ROOT);
        purses.book("old", nanos(5));
        nowMs += Purses.KEPT_MS + 1;
        purses.book("new", nanos(6));
        Disk next = new Disk();
        purses.begin(next);
        assertEquals(
                java.util.Set.of("root", "new"), spent(next.bytes.toByteArray()).keySet());
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 300);
    }

    /**
     * Scenario: requests of a tree reserve, are settled, booked and cut off in any order; ledgers begin; the process is
     * killed anywhere, even in the middle of a line. A model with exact sums says what must have been counted.
     */
    @ParameterizedTest
    @MethodSource("seeds")
    void shouldForgetNothingAndCountNothingTwice(long seed) throws Exception {
        Random random = new Random(seed);
        long limit = 500 + random.nextInt(5_000);
        List<PurseSpec> tree = List.of(
                PurseSpec.ofSession("a", money(limit)),
                PurseSpec.ofSession("b", money(1 + random.nextInt(5_000))),
                PurseSpec.ofSession("c", new Limit(null, 1L + random.nextInt(5_000), null)));
        Disk current = new Disk();
        Map<String, Amount> model = new HashMap<>();
        List<Purses.Reservation> open = new ArrayList<>();
        List<List<PurseSpec>> openIn = new ArrayList<>();
        purses.begin(current);
        purses.open(tree);
        for (int step = 0; step < 200; step++) {
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3, 4 -> {
                    List<PurseSpec> charged = tree.subList(random.nextInt(3), 3);
                    try {
                        open.add(purses.reserve(charged, new Amount(random.nextInt(400), random.nextInt(400), 0)));
                        openIn.add(charged);
                    } catch (SpentException full) {
                        assertTrue(full.purse() != null);
                    }
                }
                case 5, 6, 7 -> {
                    if (!open.isEmpty()) {
                        int which = random.nextInt(open.size());
                        Purses.Reservation chosen = open.remove(which);
                        Amount real = new Amount(
                                (long) (chosen.amount().nanos() * random.nextDouble()),
                                (long) (chosen.amount().tokens() * random.nextDouble()),
                                0);
                        chosen.settle(real);
                        openIn.remove(which).forEach(spec -> model.merge(spec.name(), real, Amount::plus));
                    }
                }
                case 8 -> {
                    current = new Disk();
                    purses.begin(current);
                }
                default -> {
                    // Killed: what is open counts in full, and a line that was cut was never answered.
                    for (int i = 0; i < open.size(); i++) {
                        Amount amount = open.get(i).amount();
                        openIn.get(i).forEach(spec -> model.merge(spec.name(), amount, Amount::plus));
                    }
                    open.clear();
                    openIn.clear();
                    byte[] torn = "{\"kind\":\"reserved\",\"id\":9".getBytes(java.nio.charset.StandardCharsets.UTF_8);
                    current.write(java.util.Arrays.copyOf(torn, random.nextInt(torn.length)));
                    List<LedgerLine.Spent> before =
                            replay(current.bytes.toByteArray()).finish();
                    purses = purses();
                    before.forEach(purses::restore);
                    current = new Disk();
                    purses.begin(current);
                    purses.open(tree);
                }
            }
            for (PurseSpec spec : tree) {
                PurseView now = purses.view(spec.name());
                assertEquals(model.getOrDefault(spec.name(), Amount.NONE), now.used(), "seed " + seed);
                assertTrue(spec.limit().allows(now.used().plus(now.reserved())), "seed " + seed);
            }
        }
    }

    /** Scenario: 64 threads spend one dollar, each with requests that may cost more than they do. */
    @Test
    void shouldNeverExceedALimitWhateverRunsAtTheSameTime() throws Exception {
        PurseSpec dollar = PurseSpec.ofSession("root", money(1_000_000_000));
        begin(dollar);
        try (ExecutorService threads = Executors.newFixedThreadPool(64)) {
            for (int i = 0; i < 64; i++) {
                int child = i;
                var unused = threads.submit(() -> {
                    Random random = new Random(child);
                    for (int call = 0; call < 100; call++) {
                        long most = 1 + random.nextInt(2_000_000);
                        reserve(most, PurseSpec.ofSession("child" + child, Limit.NONE), dollar)
                                .settle(nanos(random.nextLong(most)));
                    }
                    return null;
                });
            }
            threads.shutdown();
            assertTrue(threads.awaitTermination(60, TimeUnit.SECONDS));
        }
        PurseView root = purses.view("root");
        assertTrue(root.used().nanos() <= 1_000_000_000, root.toString());
        assertTrue(root.used().nanos() > 990_000_000, root.toString());
        assertEquals(Amount.NONE, root.reserved());
        assertEquals(root.used(), spent(disk.bytes.toByteArray()).get("root"));
    }
}

package brig.workeragent.egress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.policy.EgressPolicy;
import brig.egress.policy.HostPort;
import brig.protocol.BrigException;
import brig.protocol.control.EgressDecision;
import brig.protocol.control.Posture;
import brig.protocol.egress.EgressEvent;
import brig.protocol.json.JsonObject;
import brig.workeragent.budget.BudgetConfig;
import brig.workeragent.egress.confinement.ConfinedCommand;
import brig.workeragent.egress.confinement.NameFiles;
import brig.workeragent.sandbox.WorkerIdentity;
import brig.workeragent.wall.EgressGate;
import brig.workeragent.worker.EgressSessions;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** brig-egress as a process: started, fed with sockets, killed, started again. */
@Timeout(300)
@Order(3)
@Tag("slow")
class EgressProcessTest {
    private static final String SPAWN = "spn_000000000000000000000001";
    private static final EgressSessions.Person PERSON = new EgressSessions.Person("uid:0", "cli");
    private static final int UID = 59616;
    private static final String VALUE = "planted-real-value-7391";

    @TempDir
    Path folder;

    private final LinkedBlockingQueue<EgressEvent> events = new LinkedBlockingQueue<>();
    private HttpServer server;
    private EgressProcess egress;
    private FakeNetwork network;
    private volatile EgressPolicy policy;

    @BeforeEach
    void open() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        server.createContext("/", exchange -> {
            byte[] body = ("auth " + exchange.getRequestHeaders().getFirst("Authorization")).getBytes(UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        Files.writeString(folder.resolve("token"), VALUE);
        policy = policy("'a.example:PORT', ");
        egress = new EgressProcess(setup(classPath()), Clock.systemUTC());
        network = new FakeNetwork();
    }

    private static List<Path> classPath() {
        return Stream.of(System.getProperty("java.class.path").split(":", -1))
                .map(Path::of)
                .toList();
    }

    static EgressProcess.Services services(Path folder) {
        return services(folder, classPath());
    }

    private EgressProcess.Services setup(List<Path> classPath) {
        return services(folder, classPath);
    }

    private static EgressProcess.Services services(Path folder, List<Path> classPath) {
        List<String> options = List.of(
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:CompileThresholdScaling=20",
                "-Djdk.reflect.useNativeAccessorOnly=true",
                "-Dio.netty.jfr.enabled=false",
                "-XX:+UseSerialGC",
                "-XX:+UseCompactObjectHeaders");
        Path archive = Path.of(System.getProperty("brig.home", ".."), "lib/worker-agent.aot")
                .toAbsolutePath()
                .normalize();
        return new EgressProcess.Services(
                new ConfinedCommand.Program(
                        Path.of(System.getProperty("java.home")),
                        options,
                        classPath,
                        Files.exists(archive) ? archive : null,
                        Path.of(System.getProperty("brig.native"), "libbrig-filter.so")),
                folder.resolve("run"),
                folder.resolve("state"),
                List.of(Path.of("/etc/shadow"), folder),
                Map.of(),
                new EgressConfig(
                        UID,
                        JsonObject.of(Map.of("a.example", "127.0.0.1", "b.example", List.of("127.0.0.1"))),
                        List.of(),
                        1 << 20,
                        4,
                        0),
                BudgetConfig.NONE);
    }

    @AfterEach
    void close() {
        egress.close();
        network.close();
        server.stop(0);
    }

    private EgressPolicy policy(String allowed) {
        return EgressPolicy.read(JsonObject.readCommented(("{'allowedHosts': [" + allowed
                        + "'127.0.0.1:PORT'], 'secrets': {'T':" + " {'hosts': ['a.example'], 'file': '"
                        + folder.resolve("token") + "', 'allowPlaintext': true}}}")
                .replace('\'', '"')
                .replace("PORT", String.valueOf(server.getAddress().getPort()))));
    }

    private AutoCloseable take() {
        EgressGate.Handle taken = register();
        return () -> taken.end().told().join();
    }

    private EgressGate.Handle register() {
        var unused = egress.open(SPAWN, policy, EgressSessions.Source.of(() -> policy), new EventList(events));
        return egress.take(new EgressGate.Registration(SPAWN, "tester", policy, Map.of("T", placeholder()), network));
    }

    private static String placeholder() {
        return "BRIG_SECRET_" + "0123456789abcdef".repeat(3);
    }

    private int get(String host) throws IOException {
        return get(host, null);
    }

    private int get(String host, StringBuilder body) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create(
                        "http://" + host + ":" + server.getAddress().getPort() + "/")
                .toURL()
                .openConnection(new Proxy(
                        Proxy.Type.HTTP, new InetSocketAddress(InetAddress.getLoopbackAddress(), network.port())));
        connection.setReadTimeout(30_000);
        connection.setRequestProperty("Authorization", "Bearer " + (body == null ? "x" : placeholder()));
        int status = connection.getResponseCode();
        if (body != null) {
            body.append(new String(connection.getInputStream().readAllBytes(), UTF_8));
        }
        connection.disconnect();
        return status;
    }

    private <E extends EgressEvent> E event(Class<E> kind) throws InterruptedException {
        while (true) {
            EgressEvent event = events.poll(20, TimeUnit.SECONDS);
            if (event == null || kind.isInstance(event)) {
                return assertInstanceOf(kind, event);
            }
        }
    }

    @Test
    void shouldServeAndTellWhatHappened() throws Exception {
        assertEquals(Optional.empty(), egress.pid(), "nobody needs it yet");
        try (var _ = take()) {
            assertTrue(Files.readString(egress.authority()).startsWith("-----BEGIN CERTIFICATE-----"));
            StringBuilder body = new StringBuilder();
            assertEquals(200, get("a.example", body));
            assertEquals("auth Bearer " + placeholder(), body.toString(), "put in, and taken out of the echo");
            assertEquals("a.example", event(EgressEvent.Allowed.class).request().host());
            assertEquals(403, get("evil.example"));
            assertEquals(
                    "evil.example", event(EgressEvent.Blocked.class).request().host());
        }
        egress.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(f -> Files.isRegularFile(f) && !f.endsWith("token"))
                    .toList()) {
                assertFalse(Files.readString(file).contains(VALUE), file.toString());
            }
        }
        assertTrue(Files.readString(folder.resolve("state/audit/egress.jsonl")).contains("\"secrets\":[\"T\"]"));
    }

    /**
     * Scenario: many requests are refused, each just before its process ends, as with an agent that has one per
     * message.
     */
    @Test
    void shouldHaveToldEachRefusalWhenTheEndOfTheProcessIsTold() throws Exception {
        for (int i = 0; i < 20; i++) {
            EgressGate.Handle taken = register();
            assertEquals(403, get("evil.example"));
            EgressGate.End end = taken.end();
            List<EgressEvent> before =
                    end.told().thenApply(told -> List.copyOf(events)).join();
            assertTrue(end.released().isDone());
            assertInstanceOf(EgressEvent.Blocked.class, before.getLast());
            events.clear();
        }
    }

    @Test
    void shouldFollowDecisionsAndPolicies() throws Exception {
        try (var _ = take()) {
            assertEquals(403, get("b.example"));
            egress.allow(SPAWN, "b.example:" + server.getAddress().getPort(), EgressDecision.ALLOW, PERSON);
            awaitStatus("b.example", 200);
            policy = policy("'deep.example:9999', ");
            awaitStatus("a.example", 403);
            assertEquals(200, get("b.example"), "what a person allowed stays");
            assertTrue(network.listened.contains(9999), network.listened.toString());
            policy = policy("'a.example:PORT', ");
            awaitStatus("a.example", 200);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> egress.allow(SPAWN, "http://x", EgressDecision.ALLOW, PERSON));
            policy = EgressPolicy.read(JsonObject.readCommented("{\"deniedHosts\": [\"no.example\"]}"));
            BrigException denied = assertThrows(
                    BrigException.class, () -> egress.allow(SPAWN, "no.example:8443", EgressDecision.ALLOW, PERSON));
            assertTrue(denied.getMessage().contains("deniedHosts"), denied.getMessage());
            assertThrows(
                    BrigException.class, () -> egress.allow("spn_none", "x.example", EgressDecision.ALLOW, PERSON));
        }
    }

    @Test
    void shouldTellWhatWaitsForAPersonUntilItIsAnswered() throws Exception {
        policy = asking();
        try (var _ = take()) {
            CompletableFuture<Integer> waiting = getLater("b.example");
            EgressEvent.Ask ask = event(EgressEvent.Ask.class);
            assertEquals("b.example", ask.host());
            assertEquals(server.getAddress().getPort(), ask.port());
            egress.allow(SPAWN, "b.example:" + ask.port(), EgressDecision.ONCE, PERSON);
            assertEquals(200, waiting.get(20, TimeUnit.SECONDS));
            EgressEvent.Answered answered = event(EgressEvent.Answered.class);
            assertEquals(true, answered.allowed());
            assertEquals("a person allowed it once", answered.rule());
            EgressOverview after = egress.show(SPAWN);
            assertEquals(List.of(), after.allowed(), "once is no rule");
            assertTrue(after.hasWayOut());
            CompletableFuture<Integer> refused = getLater("c.example");
            event(EgressEvent.Ask.class);
            egress.deny(SPAWN, "c.example", PERSON);
            assertEquals(403, refused.get(20, TimeUnit.SECONDS));
        }
    }

    private EgressPolicy asking() {
        return EgressPolicy.read(JsonObject.readCommented("{\"allowedHosts\": [\"127.0.0.1:PORT\"], \"askMs\": 60000}"
                .replace("PORT", String.valueOf(server.getAddress().getPort()))));
    }

    /** Scenario: brig-egress dies while a request waits. The person answers before and after another one runs. */
    @Test
    void shouldCarryOutAnAnswerInTheNextProcessWhenTheAskingOneDied() throws Exception {
        policy = asking();
        String host = "b.example:" + server.getAddress().getPort();
        try (var _ = take()) {
            for (int waitForNext = 0; waitForNext < 2; waitForNext++) {
                try (SocketChannel cut =
                        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), network.port()))) {
                    cut.write(ByteBuffer.wrap(
                            ("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n").getBytes(UTF_8)));
                    event(EgressEvent.Ask.class);
                    ProcessHandle dying =
                            ProcessHandle.of(egress.pid().orElseThrow()).orElseThrow();
                    dying.destroyForcibly();
                    dying.onExit().join();
                }
                if (waitForNext == 1) {
                    assertEquals(200, get("127.0.0.1"));
                }
                egress.allow(SPAWN, host, EgressDecision.ONCE, PERSON);
                assertEquals(200, get("b.example"), "the next request, once");
            }
            // Of b.example there may be one more ask, which its answer overtook.
            CompletableFuture<Integer> asks = getLater("a.example");
            EgressEvent.Ask asked = event(EgressEvent.Ask.class);
            while (!asked.host().equals("a.example")) {
                asked = event(EgressEvent.Ask.class);
            }
            HostPort other = new HostPort("a.example", server.getAddress().getPort());
            egress.refuse(SPAWN, other, "nobody allowed it");
            EgressEvent.Answered answered = event(EgressEvent.Answered.class);
            while (!answered.host().equals("a.example")) {
                answered = event(EgressEvent.Answered.class);
            }
            assertEquals("nobody allowed it", answered.rule());
            assertEquals(403, asks.get(20, TimeUnit.SECONDS));
        }
    }

    private CompletableFuture<Integer> getLater(String host) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return get(host);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Test
    void shouldRefuseToOpenAWallWithoutAWayOut() {
        policy = EgressPolicy.NONE;
        var unused = egress.open(SPAWN, policy, EgressSessions.Source.of(() -> policy), new EventList(events));
        BrigException refusal =
                assertThrows(BrigException.class, () -> egress.allow(SPAWN, "a.example", EgressDecision.ALLOW, PERSON));
        assertTrue(refusal.getMessage().contains("without a way out"), refusal.getMessage());
        assertFalse(egress.show(SPAWN).hasWayOut());
    }

    private void awaitStatus(String host, int wanted) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        int status = get(host);
        while (status != wanted && System.nanoTime() < end) {
            status = get(host);
        }
        assertEquals(wanted, status);
    }

    /** Scenario: requests run without pause while the process is killed again and again. */
    @Test
    void shouldComeBackWithTheSameSocketsWhenItIsKilledUnderLoad() throws Exception {
        try (var _ = take()) {
            egress.allow(SPAWN, "b.example:" + server.getAddress().getPort(), EgressDecision.ALLOW, PERSON);
            AtomicBoolean stop = new AtomicBoolean();
            Semaphore good = new Semaphore(0);
            AtomicInteger reset = new AtomicInteger();
            LinkedBlockingQueue<String> wrong = new LinkedBlockingQueue<>();
            List<Thread> load = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                load.add(Thread.ofVirtual().start(() -> {
                    while (!stop.get()) {
                        try {
                            int status = get("b.example");
                            if (status == 200) {
                                good.release();
                            } else {
                                wrong.add("status " + status);
                            }
                        } catch (ConnectException refused) {
                            wrong.add(refused.toString());
                        } catch (IOException cut) {
                            reset.incrementAndGet();
                        }
                    }
                }));
            }
            long before = egress.pid().orElseThrow();
            for (int i = 0; i < 2; i++) {
                good.drainPermits();
                good.acquire(20);
                long pid = egress.pid().orElseThrow();
                ProcessHandle.of(pid).orElseThrow().destroyForcibly();
                good.drainPermits();
                good.acquire(20);
            }
            stop.set(true);
            for (Thread thread : load) {
                thread.join();
            }
            assertEquals(
                    List.of(), List.copyOf(wrong), "connections wait, or are cut; they are never refused, nor denied");
            assertTrue(reset.get() <= 8, "cut " + reset);
            assertNotEquals(before, egress.pid().orElseThrow());
        }
    }

    /** Scenario: the kernel's data about the process, its own measurement, and its view of closed paths. */
    @Test
    void shouldRunWithNothingInSightAndNoPower() throws Exception {
        Files.writeString(Files.createDirectories(folder.resolve("state")).resolve("admin.token"), "not for it");
        try (var _ = take()) {
            assertEquals(200, get("a.example"));
            Path process = Path.of("/proc", String.valueOf(egress.pid().orElseThrow()));
            Map<String, String> status = Files.readAllLines(process.resolve("status")).stream()
                    .map(line -> line.split(":\\s*", 2))
                    .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
            boolean root = WorkerIdentity.ofHost(UID).switched();
            String user = String.valueOf(WorkerIdentity.ofHost(UID).uid());
            assertEquals(String.join("\t", Collections.nCopies(4, user)), status.get("Uid"));
            for (String set : List.of("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")) {
                assertEquals("0000000000000000", status.get(set), set);
            }
            assertEquals("1", status.get("NoNewPrivs"));
            assertEquals("2", status.get("Seccomp"));
            assertTrue(!root || status.get("Groups").isBlank(), status.get("Groups"));
            assertTrue(status.get("NSpid").endsWith("\t2"), status.get("NSpid"));
            try (Stream<Path> threads = Files.list(process.resolve("task"))) {
                for (Path thread : threads.toList()) {
                    assertTrue(
                            Files.readString(thread.resolve("status")).contains("Seccomp:\t2"),
                            "each thread has the filter");
                }
            }
            assertEquals(
                    "LC_ALL=C.UTF-8 PWD=/",
                    Stream.of(Files.readString(process.resolve("environ")).split("\0", -1))
                            .filter(word -> !word.isEmpty())
                            .sorted()
                            .collect(Collectors.joining(" ")));
            for (String seen : List.of("/etc/shadow", "/etc/passwd", "/usr/bin", "/home", "/var", folder.toString())) {
                boolean there = Files.exists(process.resolve("root" + seen));
                assertTrue(!there || (seen.equals("/usr/bin") && root), seen);
            }
            for (Posture.Property property : egress.confinement()) {
                assertTrue(property.holds(), property.toString());
            }
            assertEquals(7, egress.confinement().size());
        }
    }

    @Test
    void shouldMeasureATrialWhereNoneRunsAndRefuseOneThatSeesWhatIsClosedToIt() throws Exception {
        assertTrue(
                egress.confinement().stream().allMatch(Posture.Property::holds),
                egress.confinement().toString());
        assertEquals(Optional.empty(), egress.pid(), "it was a trial");
        EgressProcess.Services setup = setup(classPath());
        EgressProcess careless = new EgressProcess(
                new EgressProcess.Services(
                        setup.program(),
                        setup.socketFolder(),
                        setup.stateDir(),
                        List.of(Path.of("/dev/null")),
                        Map.of(),
                        setup.config(),
                        setup.budgets()),
                Clock.systemUTC());
        BrigException refusal = assertThrows(BrigException.class, careless::confinement);
        assertTrue(refusal.getMessage().contains("it is not confined: egress-files"), refusal.getMessage());
        careless.close();
    }

    /** Scenario: the file of name servers is replaced while it runs, as a DHCP client does. */
    @Test
    void shouldSeeTheNameServersThatTheHostHasNow() throws Exception {
        Path etc = Files.createDirectories(folder.resolve("etc"));
        Files.writeString(etc.resolve("resolv.conf"), "nameserver 192.0.2.1\n");
        NameFiles names = new NameFiles(etc, folder.resolve("names"));
        names.refresh();
        Files.writeString(etc.resolve("resolv.new"), "nameserver 192.0.2.2\n");
        Files.move(etc.resolve("resolv.new"), etc.resolve("resolv.conf"), StandardCopyOption.REPLACE_EXISTING);
        names.refresh();
        assertEquals("nameserver 192.0.2.2\n", Files.readString(folder.resolve("names/resolv.conf")));
        assertEquals("hosts: files dns\n", Files.readString(folder.resolve("names/nsswitch.conf")));
    }

    @Test
    void shouldEndWithWhatStartedIt() throws Exception {
        try (var _ = take()) {
            ProcessHandle process = ProcessHandle.of(egress.pid().orElseThrow()).orElseThrow();
            process.parent().orElseThrow().parent().orElseThrow().destroyForcibly();
            process.onExit().get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldEndWithItsInput() throws Exception {
        AutoCloseable taken = take();
        ProcessHandle process = ProcessHandle.of(egress.pid().orElseThrow()).orElseThrow();
        taken.close();
        egress.close();
        process.onExit().get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldSayWhyWhenItCannotStart() {
        EgressProcess broken = new EgressProcess(setup(List.of(folder)), Clock.systemUTC());
        BrigException refusal = assertThrows(BrigException.class, broken::confinement);
        assertTrue(refusal.getMessage().contains("brig-egress cannot be used"), refusal.getMessage());
        broken.close();
    }
}

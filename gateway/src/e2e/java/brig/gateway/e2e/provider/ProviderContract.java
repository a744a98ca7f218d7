package brig.gateway.e2e.provider;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.deploy.Processes;
import brig.gateway.joint.FarEnd;
import brig.gateway.provider.Provider;
import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.gateway.provider.Sandbox;
import brig.gateway.provider.http.ApiSettings;
import brig.protocol.Ids;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What Brig needs of each provider, over real connections to a fake of it whose sandboxes are walls. */
@Timeout(180)
abstract class ProviderContract {
    private static final Path SERVER = Path.of(System.getProperty("brig.tests", "src/e2e"), "perl/link-echo.pl");
    private static final String PREFIX = "brig-0123456789ab-";
    private static final String LINK_TOKEN = "link-token";
    private static final int PORT = 7777;
    private static final int MUCH = 3_000_000;

    @TempDir
    static Path folder;

    static TestCertificate certificate;
    private static Vertx vertx;
    private static Executor loop;

    FakeProvider fake;
    Provider provider;
    private Path keyFile;

    /** Starts the fake. */
    abstract FakeProvider fake() throws IOException;

    abstract Provider provider(ApiSettings api, Vertx vertx, Executor loop);

    /** How the fake counts the creates of that name. */
    abstract String counted(String name);

    @BeforeAll
    static void prepare() throws Exception {
        FakeSandbox.whyNot().ifPresent(why -> Assumptions.abort("no sandboxes: " + why));
        certificate = TestCertificate.in(folder);
        vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        Context context = vertx.getOrCreateContext();
        loop = task -> context.runOnContext(now -> task.run());
    }

    @AfterAll
    static void end() {
        if (vertx != null) {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    @BeforeEach
    void start() throws IOException {
        fake = fake();
        keyFile = Files.writeString(folder.resolve("key-" + Ids.newEpoch()), FakeProvider.TOKEN + "\n");
        provider =
                provider(ApiSettings.of(fake.url(), keyFile, certificate.pem(), List.of("127.0.0.0/8")), vertx, loop);
    }

    @AfterEach
    void close() throws IOException {
        if (fake != null) {
            provider.close();
            fake.close();
        }
    }

    static <T> T await(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(120, TimeUnit.SECONDS);
    }

    static ProviderFailure failure(CompletionStage<?> stage) {
        ExecutionException failure = assertThrows(ExecutionException.class, () -> await(stage));
        return assertInstance(failure.getCause());
    }

    private static ProviderFailure assertInstance(Throwable cause) {
        assertTrue(cause instanceof ProviderFailure, () -> "it is " + cause);
        return (ProviderFailure) cause;
    }

    static String newName() {
        return PREFIX + Ids.newSpawnId(System.currentTimeMillis()).substring(4);
    }

    static Provider.Order order(String name, boolean closed) {
        return new Provider.Order(
                name,
                Map.of(
                        "gateway",
                        "0123456789ab",
                        "spawn_id",
                        "spn_" + name.substring(PREFIX.length()),
                        "request_id",
                        "A/b:c"),
                TimeUnit.HOURS.toMillis(1),
                closed);
    }

    /** One that runs. */
    Sandbox made() throws Exception {
        String name = newName();
        await(provider.create(order(name, false)));
        Sandbox found = await(provider.find(name));
        assertEquals(Sandbox.State.RUNNING, found.state());
        return found;
    }

    private static final class Waiting implements Processes.Listener {
        final CompletableFuture<Processes.Ended> ended = new CompletableFuture<>();
        final AtomicLong sent = new AtomicLong();

        @Override
        public void handleEnded(Processes.Ended end) {
            ended.complete(end);
        }

        @Override
        public void handleSent(long bytes) {
            sent.set(bytes);
        }
    }

    Processes.Ended run(Sandbox sandbox, Processes.Input input, String... command) throws Exception {
        Waiting waiting = new Waiting();
        provider.run(sandbox, List.of(command), input, waiting);
        return await(waiting.ended);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    private static Path file(byte[] bytes) throws IOException {
        return Files.write(folder.resolve("file-" + Ids.newEpoch()), bytes);
    }

    // ---- life

    @Test
    void shouldMakeFindListAndDestroy() throws Exception {
        fake.plant("somebody-elses");
        assertNull(await(provider.find(newName())));
        Sandbox sandbox = made();
        assertEquals(
                "spn_" + sandbox.name().substring(PREFIX.length()),
                sandbox.labels().get("spawn_id"));
        assertEquals("0123456789ab", sandbox.labels().get("gateway"));
        assertTrue(sandbox.labels().get("request_id").startsWith("sha."), "an id with other characters is digested");
        assertTrue(sandbox.createdMs() > 0);
        assertEquals(
                List.of(sandbox.name()),
                await(provider.list(PREFIX)).stream().map(Sandbox::name).toList());
        await(provider.destroy(sandbox));
        await(provider.destroy(sandbox));
        assertEquals(List.of(), await(provider.list(PREFIX)));
        assertEquals(1, fake.destroys());
        assertEquals(0, fake.touchesOfForeign());
    }

    @Test
    void shouldListAllPages() throws Exception {
        List<String> names = new ArrayList<>();
        for (int number = 0; number < 230; number++) {
            names.add(PREFIX + "spawn" + number);
            fake.plant(names.getLast(), "brig.name=" + names.getLast());
        }
        assertEquals(
                names.stream().sorted().toList(),
                await(provider.list(PREFIX)).stream()
                        .map(Sandbox::name)
                        .sorted()
                        .toList());
    }

    // ---- faults

    @Test
    void shouldNotRepeatACreate() throws Exception {
        for (Fault fault : List.of(Fault.LOST_AFTER, Fault.LOST_BEFORE, Fault.UNAVAILABLE)) {
            String name = newName();
            fake.faults().next(Operation.CREATE, fault);
            int before = fake.requests(Operation.CREATE);
            assertEquals(Kind.LOST, failure(provider.create(order(name, false))).kind(), fault::name);
            assertEquals(before + 1, fake.requests(Operation.CREATE), fault::name);
            assertEquals(fault == Fault.LOST_AFTER, await(provider.find(name)) != null, fault::name);
        }
    }

    @Test
    void shouldSayWhatTheProviderAsksFor() throws Exception {
        fake.faults().retryAfter(7);
        fake.faults().next(Operation.CREATE, Fault.RATE_LIMITED);
        ProviderFailure limited = failure(provider.create(order(newName(), false)));
        assertEquals(Kind.LIMITED, limited.kind());
        assertEquals(7000, limited.retryAfterMs());
    }

    @Test
    void shouldRepeatWhatChangesNothing() throws Exception {
        Sandbox sandbox = made();
        fake.faults().retryAfter(0);
        fake.faults().next(Operation.LIST, Fault.UNAVAILABLE, Fault.LOST_BEFORE, Fault.RATE_LIMITED, Fault.LOST_AFTER);
        assertEquals(1, await(provider.list(PREFIX)).size());
        fake.faults().next(Operation.DESTROY, Fault.LOST_AFTER, Fault.UNAVAILABLE);
        await(provider.destroy(sandbox));
        assertEquals(1, fake.destroys());
    }

    @Test
    void shouldFollowNoRedirect() throws Exception {
        Sandbox sandbox = made();
        for (Operation operation : List.of(Operation.CREATE, Operation.LIST, Operation.DESTROY)) {
            fake.faults().next(operation, Fault.REDIRECTED);
        }
        assertEquals(
                Kind.UNTRUSTED,
                failure(provider.create(order(newName(), false))).kind());
        assertEquals(Kind.UNTRUSTED, failure(provider.list(PREFIX)).kind());
        assertEquals(Kind.UNTRUSTED, failure(provider.destroy(sandbox)).kind());
        assertEquals(0, fake.destroys());
    }

    @Test
    void shouldTakeANewKeyWithoutARestart() throws Exception {
        Files.writeString(keyFile, "an-old-key");
        ProviderFailure refused = failure(provider.list(PREFIX));
        assertEquals(Kind.REFUSED, refused.kind());
        assertFalse(refused.getMessage().contains("an-old-key"));
        Files.writeString(keyFile, FakeProvider.TOKEN);
        assertEquals(List.of(), await(provider.list(PREFIX)));
    }

    // ---- programs

    @Test
    void shouldRunPrograms() throws Exception {
        Sandbox sandbox = made();
        Processes.Ended plain =
                run(sandbox, null, "sh", "-c", "echo \"$1\"; echo; pwd; echo bad >&2; exit 7", "sh", "it's; $HOME *");
        assertEquals(7, plain.code());
        List<String> lines = plain.out().lines();
        assertEquals("it's; $HOME *", lines.get(0));
        assertEquals("", lines.get(1));
        assertEquals("bad\n", plain.errors().text());
        assertEquals(
                "yes\n",
                run(sandbox, null, "sh", "-c", "cd && : >here && [ -n \"$PATH\" ] && [ \"$(id -u)\" != 0 ] && echo yes")
                        .out()
                        .text());
        assertEquals(0, run(sandbox, null, "true").code());
        assertEquals(
                "secret\n",
                run(sandbox, new Processes.Input.Line("secret"), "cat").out().text());
        assertEquals(
                "here\n",
                run(sandbox, null, "sh", "-c", "cd; ls -A; ls -A | grep -c input >/dev/null && exit 1; exit 0")
                        .out()
                        .text());
    }

    @Test
    void shouldBringAFileToAProgram() throws Exception {
        Sandbox sandbox = made();
        byte[] bytes = random(MUCH);
        Waiting waiting = new Waiting();
        provider.run(
                sandbox, List.of("sh", "-c", "sha256sum; ls -A"), new Processes.Input.OfFile(file(bytes)), waiting);
        Processes.Ended ended = await(waiting.ended);
        String sum = java.util.HexFormat.of()
                .formatHex(java.security.MessageDigest.getInstance("SHA-256").digest(bytes));
        assertEquals(sum + "  -\n", ended.out().text(), () -> ended.errors().text());
        assertEquals(MUCH, waiting.sent.get());
    }

    @Test
    void shouldEndAProgram() throws Exception {
        Sandbox sandbox = made();
        Waiting waiting = new Waiting();
        Processes.Running running = provider.run(
                sandbox, List.of("sh", "-c", "echo $$ >$HOME/pid; echo begun >&2; exec sleep 1000"), null, waiting);
        while (running.errors().text().isEmpty()) {
            assertFalse(waiting.ended.isDone());
            Thread.onSpinWait();
        }
        running.end();
        assertTrue(await(waiting.ended).code() != 0);
        while (run(sandbox, null, "sh", "-c", "kill -0 $(cat $HOME/pid)").code() == 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldSayThatAProgramWasNotStarted() throws Exception {
        Sandbox sandbox = made();
        await(provider.destroy(sandbox));
        Processes.Ended ended = run(sandbox, null, "true");
        assertEquals(Processes.NOT_STARTED, ended.code());
        assertTrue(ended.errors().text().contains("404"), ended.errors()::text);
    }

    // ---- connections

    private Sandbox withServer() throws Exception {
        Sandbox sandbox = made();
        Processes.Ended ended = run(
                sandbox,
                new Processes.Input.OfFile(SERVER),
                "sh",
                "-c",
                "cat >server.pl; setsid nohup perl server.pl " + PORT + " " + LINK_TOKEN
                        + " </dev/null >server.log 2>&1 &"
                        + " until grep -q listening server.log; do sleep 0.1; done");
        assertEquals(0, ended.code(), ended.errors()::text);
        return sandbox;
    }

    private FarEnd dialled(Sandbox sandbox, int port, String token) throws IOException {
        return provider.dial(sandbox, port, "/link?a=b", Map.of("X-Brig-Link", token))
                .open();
    }

    @Test
    void shouldCarryBytesBothWays() throws Exception {
        Sandbox sandbox = withServer();
        byte[] bytes = random(MUCH);
        FarEnd end = dialled(sandbox, PORT, LINK_TOKEN);
        // Longer than all that may wait in between: a side that holds up the other would hold up this test.
        Thread sending = Thread.startVirtualThread(() -> {
            try {
                end.output().write(bytes);
                end.output().flush();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        assertArrayEquals(bytes, end.input().readNBytes(MUCH));
        sending.join();
        end.close();
        assertEquals(-1, readOrEnd(end));
    }

    private static int readOrEnd(FarEnd end) {
        try {
            return end.input().read();
        } catch (IOException closed) {
            return -1;
        }
    }

    @Test
    void shouldEndWhereTheConnectionIsCut() throws Exception {
        Sandbox sandbox = withServer();
        fake.faults().cutAfter(Operation.DIAL, 100_000);
        FarEnd end = dialled(sandbox, PORT, LINK_TOKEN);
        Thread.startVirtualThread(() -> {
            try {
                end.output().write(random(MUCH));
            } catch (IOException cut) {
                return;
            }
        });
        ByteArrayOutputStream got = new ByteArrayOutputStream();
        assertThrows(IOException.class, () -> end.input().transferTo(got));
        assertTrue(got.size() < 100_001, "no more than came through");
        assertArrayEquals(java.util.Arrays.copyOf(random(MUCH), got.size()), got.toByteArray());
        assertThrows(IOException.class, () -> end.output().write(1));
        fake.faults().none();
        dialled(sandbox, PORT, LINK_TOKEN).close();
    }

    @Test
    void shouldSayWhyThereIsNoConnection() throws Exception {
        Sandbox sandbox = withServer();
        for (int port : List.of(PORT, PORT + 1)) {
            IOException refused = assertThrows(IOException.class, () -> {
                FarEnd end = dialled(sandbox, port, "wrong");
                end.input().read();
                throw new IOException(end.lastWords());
            });
            assertFalse(refused.getMessage().isEmpty());
            assertFalse(refused.getMessage().contains("wrong"), refused::getMessage);
        }
        await(provider.destroy(sandbox));
        assertThrows(IOException.class, () -> dialled(sandbox, PORT, LINK_TOKEN));
    }

    static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }
}

package brig.workeragent.login;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.login.Login;
import brig.protocol.login.Vendor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoginsTest {
    private static final long HOUR_MS = 3_600_000;

    @TempDir
    private Path folder;

    private final Rotating vendor = new Rotating();
    private long nowMs = 1_800_000_000_000L;
    private final InstantSource source = () -> Instant.ofEpochMilli(nowMs);
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private String credential = "";
    private Logins logins = new Logins(vendor, clock, name -> credential);
    private Path file;

    /** A vendor whose refresh tokens are good once. A second use revokes the login. */
    private final class Rotating implements TokenEndpoint {
        private final Set<String> used = new HashSet<>();
        private int renewals;
        private @Nullable IOException fault;
        private boolean losesAnswer;
        private boolean revoked;

        @Override
        public synchronized Answer renew(Login login) throws IOException {
            if (fault != null) {
                throw fault;
            }
            revoked |= !used.add(login.refreshToken());
            if (revoked) {
                return new Refused("invalid_grant");
            }
            renewals++;
            if (losesAnswer) {
                throw new IOException("the connection was reset");
            }
            return new Renewed(new Login.Tokens("access-" + renewals, "refresh-" + renewals, nowMs + HOUR_MS));
        }
    }

    @BeforeEach
    void setUp() throws IOException {
        file = folder.resolve("login-claude.json");
        login("refresh-0", nowMs + HOUR_MS, null).write(file);
    }

    private static Login login(@Nullable String refresh, long endsMs, @Nullable Path from) {
        return new Login(
                Vendor.ANTHROPIC,
                "https://token.example",
                "access-0",
                refresh,
                endsMs,
                from == null ? null : from.toString(),
                null);
    }

    private String message() {
        return assertThrows(IOException.class, () -> logins.token(file)).getMessage();
    }

    @Test
    void shouldRenewSoonBeforeTheEnd() throws IOException {
        assertEquals("access-0", logins.token(file));
        nowMs += HOUR_MS - Logins.AHEAD_MS;
        assertEquals("access-1", logins.token(file));
        assertEquals("access-1", logins.token(file));
        assertEquals(1, vendor.renewals);
        Login kept = Login.read(file);
        assertEquals("refresh-1", kept.refreshToken());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void shouldRenewOnceForManyWorkersAndProcesses() throws Exception {
        Logins otherProcess = new Logins(vendor, clock, name -> credential);
        for (int rotation = 1; rotation <= 3; rotation++) {
            nowMs += HOUR_MS;
            List<Callable<String>> workers = new ArrayList<>();
            for (int worker = 0; worker < 20; worker++) {
                workers.add(() -> logins.token(file));
            }
            try (ExecutorService threads = Executors.newFixedThreadPool(20)) {
                for (Future<String> token : threads.invokeAll(workers)) {
                    assertEquals("access-" + rotation, token.get());
                }
            }
            assertEquals("access-" + rotation, otherProcess.token(file));
            assertEquals(rotation, vendor.renewals);
        }
        assertFalse(vendor.revoked);
    }

    @Test
    void shouldHaveTheNewTokensOnTheDiskBeforeAnybodyUsesThem() throws IOException {
        nowMs += HOUR_MS;
        // A folder in place of the unfinished file: it cannot be written.
        Path inTheWay = folder.resolve(".login-claude.json.new/x");
        Files.createDirectories(inTheWay);
        assertThrows(IOException.class, () -> logins.token(file));
        assertThrows(IOException.class, () -> logins.token(file));
        assertEquals(1, vendor.renewals);
        Files.delete(inTheWay);
        assertEquals("access-1", logins.token(file));
        assertEquals("refresh-1", Login.read(file).refreshToken());
        assertEquals(1, vendor.renewals);
    }

    @Test
    void shouldGoOnAfterACrashThatLostNoTokens() throws IOException {
        nowMs += HOUR_MS;
        logins.token(file);
        logins = new Logins(vendor, clock, name -> credential);
        nowMs += HOUR_MS;
        assertEquals("access-2", logins.token(file));
    }

    @Test
    void shouldSayWhatToDoAfterACrashThatLostTheTokens() throws IOException {
        nowMs += HOUR_MS;
        vendor.losesAnswer = true;
        assertEquals("its token has ended, and the vendor could not be asked for a new one", message());
        vendor.losesAnswer = false;
        logins = new Logins(vendor, clock, name -> credential);
        String refused = "the vendor refuses this login (invalid_grant): sign in anew with brig login";
        assertEquals(refused, message());
        nowMs += HOUR_MS;
        assertEquals(refused, message());
        assertEquals(2, vendor.used.size() + 1, "nobody asks again with a refused login");
        login("refresh-new", nowMs + HOUR_MS, null).write(file);
        assertEquals("access-0", logins.token(file));
    }

    @Test
    void shouldGoOnWithTheOldTokenWhileTheVendorIsAway() throws IOException {
        nowMs += HOUR_MS - 60_000;
        vendor.fault = new IOException("no route to host");
        assertEquals("access-0", logins.token(file));
        vendor.fault = null;
        assertEquals("access-0", logins.token(file), "it is asked once in a while");
        nowMs += Logins.PAUSE_MS;
        assertEquals("access-1", logins.token(file));
    }

    @Test
    void shouldRenewATokenThatWasRefusedBeforeItsEnd() throws IOException {
        logins.handleRefused(file);
        assertEquals("access-1", logins.token(file));
        logins.handleRefused(file);
        assertEquals("access-1", logins.token(file), "a late answer to the token before");
        assertEquals(1, vendor.renewals);
        nowMs += Logins.PAUSE_MS;
        logins.handleRefused(file);
        assertEquals("access-2", logins.token(file));
    }

    @Test
    void shouldUseATokenThatCannotBeRenewedUntilItsEnd() throws IOException {
        login(null, nowMs + HOUR_MS, null).write(file);
        assertEquals("access-0", logins.token(file));
        logins.handleRefused(file);
        assertEquals("the vendor refuses this login (status 401): sign in anew with brig login", message());
        nowMs += Logins.PAUSE_MS;
        assertEquals("access-0", logins.token(file), "it may have been a fault of the vendor");
        nowMs += HOUR_MS;
        assertEquals("its token has ended: sign in anew with brig login", message());
        login(null, 0, null).write(file);
        assertEquals("access-0", logins.token(file));
        assertEquals(0, vendor.renewals);
    }

    @Test
    void shouldShareTokensWithTheVendorsProgram() throws IOException {
        Path theirs = folder.resolve("credentials.json");
        Files.writeString(
                theirs,
                "{\"claudeAiOauth\":{\"accessToken\":\"access-0\",\"refreshToken\":\"refresh-0\",\"scopes\":[\"a\"]},\"x\":1}");
        login("refresh-0", nowMs + HOUR_MS, theirs).write(file);
        nowMs += HOUR_MS;
        assertEquals("access-1", logins.token(file));
        assertEquals(
                "{\"claudeAiOauth\":{\"accessToken\":\"access-1\",\"refreshToken\":\"refresh-1\",\"scopes\":[\"a\"],\"expiresAt\":"
                        + (nowMs + HOUR_MS) + "},\"x\":1}",
                Files.readString(theirs));

        nowMs += HOUR_MS;
        Files.writeString(
                theirs,
                "{\"claudeAiOauth\":{\"accessToken\":\"theirs\",\"refreshToken\":\"refresh-9\",\"expiresAt\":"
                        + (nowMs + HOUR_MS) + "}}");
        assertEquals("theirs", logins.token(file));
        assertEquals("refresh-9", Login.read(file).refreshToken());
        assertEquals(1, vendor.renewals);
    }

    @Test
    void shouldNotWriteThroughALink() throws IOException {
        Path secret = folder.resolve("other");
        String content = "{\"claudeAiOauth\":{\"accessToken\":\"access-0\",\"refreshToken\":\"refresh-0\"}}";
        Files.writeString(secret, content);
        Path link = Files.createSymbolicLink(folder.resolve("credentials.json"), secret);
        login("refresh-0", nowMs + HOUR_MS, link).write(file);
        nowMs += HOUR_MS;
        assertEquals("access-1", logins.token(file));
        assertEquals(content, Files.readString(secret));
        assertTrue(Files.isSymbolicLink(link));
    }

    @Test
    void shouldRefuseAFileThatIsNoLoginAndShowNothingOfIt() throws IOException {
        for (String content :
                List.of("", "[]", "{\"vendor\":\"ANTHROPIC\"}", "sk-ant-oat01-secret", "{\"accessToken\":")) {
            Files.writeString(file, content);
            String said = message();
            assertFalse(said.contains("sk-ant") || said.contains("accessToken\":"), said);
        }
        Files.writeString(file, "x".repeat(200_000));
        assertTrue(message().contains("131072 bytes"));
    }

    @Test
    void shouldShowNoTokenAsText() {
        String shown =
                login("refresh-0", 1, null) + " " + login("refresh-0", 1, null).tokens();
        assertFalse(shown.contains("access-0") || shown.contains("refresh-0"), shown);
    }

    @Test
    void shouldReadATokenThatIsNotInTheFile() throws IOException {
        credential = "token-of-systemd-1";
        new Login(Vendor.ANTHROPIC, null, "", null, 0, null, null, "claude-token").write(file);
        assertEquals(credential, logins.token(file));
        credential = "token-of-systemd-2";
        assertEquals(credential, logins.token(file));
        logins.handleRefused(file);
        assertThrows(IOException.class, () -> logins.token(file));
        credential = "token-of-systemd-3";
        assertEquals(credential, logins.token(file));
        assertFalse(Files.readString(file).contains("token-of"));
    }
}

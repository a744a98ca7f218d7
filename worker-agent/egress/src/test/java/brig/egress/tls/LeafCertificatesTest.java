package brig.egress.tls;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cache of leaves and its limits. The test decides when signing happens. */
class LeafCertificatesTest {
    @TempDir
    Path folder;

    private final ArrayDeque<Runnable> signing = new ArrayDeque<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private LeafCertificates leaves;

    @BeforeEach
    void open() throws IOException {
        Clock clock = new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return now;
            }
        };
        leaves = new LeafCertificates(CertificateAuthority.open(folder, now), signing::add, clock);
    }

    @Test
    void shouldSignOnceForAllWhoWantTheSameHost() throws Exception {
        CompletableFuture<X509Certificate> first = leaves.prepare("a.example");
        assertSame(first, leaves.prepare("a.example"), "while it is signed");
        signing.remove().run();
        assertTrue(first.get().getSubjectX500Principal().getName().contains("a.example"));
        assertSame(first, leaves.prepare("a.example"));
        assertTrue(signing.isEmpty());
    }

    @Test
    void shouldKeepALeafWhileManyOthersArePrepared() {
        // Scenario: a worker calls many hosts while another worker's client is about to begin its handshake.
        CompletableFuture<X509Certificate> mine = leaves.prepare("mine.example");
        for (int i = 1; i < LeafCertificates.LEAVES_MAX; i++) {
            var _ = leaves.prepare("n" + i + ".example");
        }
        assertSame(mine, leaves.prepare("mine.example"));
    }

    @Test
    void shouldForgetTheLeafThatWasNotUsedForLongest() {
        CompletableFuture<X509Certificate> used = leaves.prepare("used.example");
        CompletableFuture<X509Certificate> unused = leaves.prepare("unused.example");
        for (int i = 2; i < LeafCertificates.LEAVES_MAX; i++) {
            var _ = leaves.prepare("n" + i + ".example");
        }
        var _ = leaves.prepare("used.example");
        var _ = leaves.prepare("one.too.many.example");
        assertSame(used, leaves.prepare("used.example"));
        assertNotSame(unused, leaves.prepare("unused.example"));
    }

    @Test
    void shouldSignAgainAfterThirtyDays() {
        CompletableFuture<X509Certificate> first = leaves.prepare("a.example");
        signing.remove().run();
        now = now.plus(Duration.ofDays(30)).minusMillis(1);
        assertSame(first, leaves.prepare("a.example"));
        now = now.plusMillis(1);
        assertNotSame(first, leaves.prepare("a.example"));
    }

    @Test
    void shouldTryAgainWhenSigningFailed() {
        CompletableFuture<X509Certificate> failed = leaves.prepare("a.example");
        failed.completeExceptionally(new IOException("no entropy"));
        assertNotSame(failed, leaves.prepare("a.example"));
    }
}

package brig.gateway.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.auth.Token;
import brig.gateway.auth.Tokens;
import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Reason;
import brig.protocol.Role;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Gateways that mint and revoke tokens beside each other. */
class SharedTokensTest {
    private static final long DAY_MS = 86_400_000;
    private static final String ISSUER = "https://people.example";

    private final FakeTime time = new FakeTime();
    private final MemoryShared shared = new MemoryShared(time, new Random(1));
    private final Gateway first = new Gateway("g1", ISSUER);

    /** The tokens of one gateway, with its own store. */
    private final class Gateway {
        final List<String> closed = new ArrayList<>();
        private final String name;
        private final String issuer;
        MemoryShared.End end;
        Tokens tokens;
        Collection<Token> kept = List.of();

        Gateway(String name, String issuer) {
            this.name = name;
            this.issuer = issuer;
            start();
        }

        /** As a process that reads what the one before kept. */
        void start() {
            end = shared.new End(name, Runnable::run);
            Tokens.Store own = new Tokens.Store() {
                @Override
                public CompletionStage<Void> save(Collection<Token> all) {
                    kept = all;
                    return CompletableFuture.completedFuture(null);
                }

                @Override
                public CompletionStage<Void> saveAdmin(String secret) {
                    return CompletableFuture.completedFuture(null);
                }
            };
            SharedTokens store = new SharedTokens(
                    own,
                    end.table(shared.tokens),
                    new SharedTokens.People(issuer, captain -> captain.startsWith("oidc:")),
                    time);
            tokens = new Tokens(Ids.newToken(), kept, store, time, time);
            CompletableFuture<Void> opened = store.open(tokens).toCompletableFuture();
            time.pass(100);
            assertTrue(opened.isDone());
        }

        void restart() {
            end.leave();
            start();
        }

        CompletableFuture<Tokens.Minted> begin(String captain, long ttlMs) {
            CompletableFuture<Tokens.Minted> minted = tokens.mint(
                            new Tokens.Request(Role.CAPTAIN, captain, null, ttlMs))
                    .toCompletableFuture();
            time.pass(3_000);
            return minted;
        }

        Tokens.Minted mint(String captain) {
            return begin(captain, DAY_MS).join();
        }

        CompletableFuture<Token> revoke(Tokens.Minted minted) {
            CompletableFuture<Token> revoked =
                    tokens.revoke(tokens.find(minted.token().id())).toCompletableFuture();
            time.pass(3_000);
            return revoked;
        }

        void watch(Tokens.Minted minted) {
            tokens.watch(tokens.access(minted.secret()), why -> closed.add("" + why.code()));
        }

        boolean knows(Tokens.Minted minted) {
            return tokens.access(minted.secret()).role() != null;
        }

        boolean refuses(Tokens.Minted minted) {
            BrigException why = assertThrows(BrigException.class, () -> tokens.access(minted.secret()));
            return why.code() == ErrorCode.ATTACH_AUTH_EXPIRED;
        }
    }

    private static ErrorCode refusal(CompletableFuture<?> failed) {
        CompletionException failure = assertThrows(CompletionException.class, failed::join);
        return ((BrigException) Reason.cause(failure)).code();
    }

    @Test
    void shouldBeGoodAtAllGatewaysAndRevokedAtAll() {
        Gateway second = new Gateway("g2", ISSUER);
        Tokens.Minted minted = first.mint("alice");
        assertEquals("alice", second.tokens.access(minted.secret()).captain());
        first.watch(minted);
        second.revoke(minted).join();
        assertTrue(first.refuses(minted));
        assertEquals(List.of("ATTACH_AUTH_EXPIRED"), first.closed);
    }

    @Test
    void shouldBeKnownToAGatewayThatStartsLater() {
        Tokens.Minted good = first.mint("alice");
        Tokens.Minted bad = first.mint("bob");
        first.revoke(bad).join();
        Gateway second = new Gateway("g2", ISSUER);
        assertTrue(second.knows(good));
        assertTrue(second.refuses(bad));
    }

    @Test
    void shouldSayThatOthersDoNotKnowItAndTellThemLater() {
        Gateway second = new Gateway("g2", ISSUER);
        Tokens.Minted known = first.mint("alice");
        first.end.cut = true;
        assertEquals(ErrorCode.RECORD_LOST, refusal(first.revoke(known)));
        assertEquals(ErrorCode.RECORD_LOST, refusal(first.begin("bob", DAY_MS)));
        assertTrue(first.refuses(known), "here it ends at once");
        assertTrue(second.knows(known));
        first.end.cut = false;
        time.pass(3 * SharedTokens.RETRY_MS);
        assertTrue(second.refuses(known));
        assertEquals(2, second.tokens.all().size());
    }

    @Test
    void shouldNeverTakeARevocationBack() {
        Gateway second = new Gateway("g2", ISSUER);
        Tokens.Minted minted = first.mint("alice");
        Collection<Token> before = first.kept;
        second.revoke(minted).join();
        first.kept = before;
        first.restart();
        assertTrue(first.refuses(minted));
        assertTrue(second.refuses(minted));
    }

    @Test
    void shouldTellAgainWhatABackupLacks() {
        Gateway second = new Gateway("g2", ISSUER);
        Tokens.Minted minted = first.mint("alice");
        Runnable restore = shared.backup();
        first.revoke(minted).join();
        Tokens.Minted later = first.mint("bob");
        second.end.leave();
        restore.run();
        first.restart();
        Gateway third = new Gateway("g3", ISSUER);
        assertTrue(third.refuses(minted));
        assertTrue(third.knows(later));
    }

    /** Scenario: two revoke it in the same moment, and another one knows nothing of it yet. */
    @Test
    void shouldAgreeWhenSeveralWriteAtOnce() {
        Gateway second = new Gateway("g2", ISSUER);
        Tokens.Minted minted = first.mint("alice");
        CompletableFuture<Token> one = first.tokens.revoke(minted.token()).toCompletableFuture();
        CompletableFuture<Token> other = second.tokens.revoke(minted.token()).toCompletableFuture();
        time.pass(3_000);
        assertTrue(one.join().revoked() && other.join().revoked());
        assertTrue(new Gateway("g3", ISSUER).refuses(minted));
    }

    /** Scenario: it is revoked before the others were told of it, and either may be written first. */
    @Test
    void shouldRevokeWhatIsBeingTold() {
        Gateway second = new Gateway("g2", ISSUER);
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Tokens.Minted> minted = first.tokens
                    .mint(new Tokens.Request(Role.CAPTAIN, "alice", null, DAY_MS))
                    .toCompletableFuture();
            CompletableFuture<Token> revoked =
                    first.tokens.revoke(first.tokens.all().getLast()).toCompletableFuture();
            time.pass(3_000);
            assertTrue(revoked.join().revoked());
            assertTrue(second.refuses(minted.join()));
            assertTrue(first.refuses(minted.join()));
        }
    }

    @Test
    void shouldNotCountPeopleOfAnotherIssuer() {
        Gateway same = new Gateway("g2", ISSUER);
        Gateway other = new Gateway("g3", "https://other.example");
        Gateway none = new Gateway("g4", "");
        Tokens.Minted person = first.mint("oidc:ann");
        assertTrue(same.knows(person));
        assertNull(other.tokens.access(person.secret()).role());
        assertNull(none.tokens.access(person.secret()).role());
        Tokens.Minted captain = other.mint("ann");
        assertTrue(first.knows(captain) && none.knows(captain));
        assertTrue(first.knows(none.mint("bob")));
    }

    @Test
    void shouldRemoveWhatExpiredLongAgoAndNothingElse() {
        first.begin("alice", 1_000).join();
        Gateway second = new Gateway("g2", ISSUER);
        time.pass(DAY_MS);
        Tokens.Minted fresh = first.begin("bob", 3 * DAY_MS).join();
        time.pass(2 * DAY_MS);
        Tokens.Minted last = second.mint("carol");
        List<String> there = shared.tokens.entries.values().stream()
                .filter(entry -> !entry.isRemoved())
                .map(SharedTable.Entry::key)
                .toList();
        assertEquals(List.of(fresh.token().hash(), last.token().hash()), there);
    }

    /** Scenario: a token is shown elsewhere before that gateway was told of it. */
    @Test
    void shouldLearnOfWhatWasMintedAMomentAgo() {
        Gateway second = new Gateway("g2", ISSUER);
        assertTrue(second.tokens.areShared());
        assertFalse(second.tokens.isUnknown(first.mint("alice").secret()));
        assertTrue(second.tokens.isUnknown(Ids.newToken()));
        int[] asked = {0};
        shared.settled = () -> asked[0]++;
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            waiting.add(second.tokens.learn().toCompletableFuture());
        }
        time.pass(100);
        assertTrue(waiting.stream().allMatch(CompletableFuture::isDone));
        assertEquals(2, asked[0], "the first, and one for all that came meanwhile");
        second.end.cut = true;
        CompletableFuture<Void> last = second.tokens.learn().toCompletableFuture();
        time.pass(SharedTokens.LEARN_MS);
        assertTrue(last.isDone(), "nobody waits for ever");
        second.end.cut = false;
        CompletableFuture<Void> again = second.tokens.learn().toCompletableFuture();
        time.pass(100);
        assertTrue(again.isDone());
    }

    @Test
    void shouldPassOverWhatIsNoToken() {
        Gateway second = new Gateway("g2", ISSUER);
        SharedTable table = first.end.table(shared.tokens);
        for (String wrong : List.of("{", "[]", "{\"token\":{}}", "{\"token\":{\"hash\":\"\",\"role\":\"captain\"}}")) {
            var _ = table.write("k" + wrong.length(), wrong.getBytes(StandardCharsets.UTF_8), 0);
        }
        time.pass(3_000);
        assertTrue(second.tokens.all().isEmpty());
        assertTrue(second.knows(first.mint("alice")));
        assertFalse(first.kept.isEmpty());
    }
}

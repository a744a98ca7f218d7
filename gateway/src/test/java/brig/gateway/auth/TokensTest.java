package brig.gateway.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class TokensTest {
    private static final long DAY_MS = 86_400_000;

    private final FakeTime time = new FakeTime();
    private final String adminToken = Ids.newToken();
    private final List<Collection<Token>> saved = new ArrayList<>();
    private final List<String> closed = new ArrayList<>();
    private String savedAdmin = "";
    private Tokens tokens = tokens(List.of());

    private Tokens tokens(Collection<Token> kept) {
        Tokens.Store store = new Tokens.Store() {
            @Override
            public CompletionStage<Void> save(Collection<Token> all) {
                saved.add(all);
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public CompletionStage<Void> saveAdmin(String secret) {
                savedAdmin = secret;
                return CompletableFuture.completedFuture(null);
            }
        };
        return new Tokens(adminToken, kept, store, time, time);
    }

    private Tokens.Minted mint(Role role, String spawnId, long ttlMs) {
        return tokens.mint(new Tokens.Request(role, "alice", spawnId, ttlMs))
                .toCompletableFuture()
                .join();
    }

    private static ErrorCode refusal(Tokens tokens, String secret) {
        return assertThrows(BrigException.class, () -> tokens.access(secret)).code();
    }

    private Runnable watch(Access access, String name) {
        return tokens.watch(access, why -> closed.add(name + " " + why.code()));
    }

    @Test
    void shouldKnowTheAdminTokenAndNothingByHalf() {
        assertEquals(Role.ADMIN, tokens.access(adminToken).role());
        assertTrue(tokens.access(null).isNobody());
        for (String wrong :
                List.of("", "brig_", adminToken + "A", adminToken.substring(1), Ids.hashToken(adminToken))) {
            assertNull(tokens.access(wrong).role(), "opens nothing by itself");
        }
    }

    @Test
    void shouldTakeTheAdminTokenBackWithItsConnectionsWhenAnotherTakesItsPlace() {
        watch(tokens.access(adminToken), "old");
        Token old = tokens.replaceAdmin().toCompletableFuture().join();
        assertEquals(ErrorCode.ATTACH_AUTH_EXPIRED, refusal(tokens, adminToken));
        assertEquals(List.of("old ATTACH_AUTH_EXPIRED"), closed);
        assertTrue(old.revoked());
        assertEquals(Role.ADMIN, tokens.access(savedAdmin).role());
    }

    @Test
    void shouldOpenWhatItWasMintedForAndKeepNoSecret() {
        Tokens.Minted minted = mint(Role.WATCHER, "spn_1", DAY_MS);
        Access access = tokens.access(minted.secret());
        assertEquals(Role.WATCHER, access.role());
        assertEquals("spn_1", access.spawnId());
        assertEquals("alice", access.captain());
        assertEquals(minted.token().id(), access.tokenId());
        assertFalse(saved.toString().contains(minted.secret()));
        assertFalse(minted.token().view().toString().contains(minted.secret()));
        assertTrue(saved.toString().contains(Ids.hashToken(minted.secret())));
    }

    @Test
    void shouldStillCountAfterARestart() {
        Tokens.Minted kept = mint(Role.CAPTAIN, null, DAY_MS);
        Tokens.Minted revoked = mint(Role.CAPTAIN, null, DAY_MS);
        var _ = tokens.revoke(revoked.token());
        Tokens restarted = tokens(saved.getLast());
        assertEquals(Role.CAPTAIN, restarted.access(kept.secret()).role());
        assertEquals(ErrorCode.ATTACH_AUTH_EXPIRED, refusal(restarted, revoked.secret()));
    }

    @Test
    void shouldExpireToTheMillisecondAndCloseItsConnectionsThen() {
        Tokens.Minted minted = mint(Role.WATCHER, null, 5_000);
        watch(tokens.access(minted.secret()), "a");
        watch(tokens.access(mint(Role.WATCHER, null, 6_000).secret()), "b");
        time.pass(4_999);
        assertEquals(Role.WATCHER, tokens.access(minted.secret()).role());
        assertEquals(List.of(), closed);
        time.pass(1);
        assertEquals(List.of("a ATTACH_AUTH_EXPIRED"), closed);
        assertEquals(ErrorCode.ATTACH_AUTH_EXPIRED, refusal(tokens, minted.secret()));
        time.pass(1_000);
        assertTrue(closed.contains("b ATTACH_AUTH_EXPIRED"), closed::toString);
        assertEquals(List.of(), tokens.all());
        assertEquals(0, time.pending());
    }

    @Test
    void shouldCloseItsOwnConnectionsAndNoOthersWhenRevoked() {
        Tokens.Minted one = mint(Role.CAPTAIN, null, DAY_MS);
        Tokens.Minted other = mint(Role.CAPTAIN, null, DAY_MS);
        watch(tokens.access(one.secret()), "a");
        watch(tokens.access(one.secret()), "b").run();
        watch(tokens.access(other.secret()), "c");
        watch(Access.ofPeer(0, true), "d");
        var _ = tokens.revoke(one.token());
        assertEquals(List.of("a ATTACH_AUTH_EXPIRED"), closed);
        assertEquals(ErrorCode.ATTACH_AUTH_EXPIRED, refusal(tokens, one.secret()));
        assertEquals(Role.CAPTAIN, tokens.access(other.secret()).role());
        assertTrue(tokens.find(one.token().id()).revoked(), "it is listed as what it is");
    }

    @Test
    void shouldRefuseATokenOfASpawnsOwnWhenThatWasRevoked() {
        String secret = Ids.newToken();
        Token own =
                new Token(Ids.hashToken(secret), Role.CAPTAIN, "uid:0", "spn_1", time.nowMs(), Long.MAX_VALUE, false);
        Access before = tokens.access(secret);
        watch(before, "a");
        assertEquals(own.id(), before.tokenId());
        var _ = tokens.revoke(own);
        assertEquals(List.of("a ATTACH_AUTH_EXPIRED"), closed);
        assertEquals(ErrorCode.ATTACH_AUTH_EXPIRED, refusal(tokens, secret));
    }

    @Test
    void shouldForgetExpiredTokensAfterADayAndRefuseTooMany() {
        List<Token> kept = new ArrayList<>();
        for (int i = 0; i < Tokens.TOKENS_MAX; i++) {
            kept.add(Token.of(Ids.newToken(), Role.WATCHER, "alice", null, time.nowMs(), 1_000));
        }
        tokens = tokens(kept);
        CompletableFuture<?> refused =
                tokens.mint(new Tokens.Request(Role.WATCHER, "a", null, 1)).toCompletableFuture();
        assertTrue(refused.isCompletedExceptionally());
        time.pass(DAY_MS + 1_000);
        mint(Role.WATCHER, null, 1_000);
        assertEquals(1, saved.getLast().size());
    }

    private static <T> T now(CompletionStage<T> done) {
        return done.toCompletableFuture().join();
    }

    private static ErrorCode refusal(CompletionStage<?> failed) {
        CompletionException failure = assertThrows(
                CompletionException.class, () -> failed.toCompletableFuture().join());
        return ((BrigException) failure.getCause()).code();
    }

    @Test
    void shouldBindATicketToTheSessionThatItIsFor() {
        Tickets tickets = new Tickets(new MemoryTickets(time), time);
        Access everywhere = new Access("alice", Role.CAPTAIN, null, "secret", "tok_1");
        assertEquals(
                "spn_1",
                now(tickets.redeem(
                                now(tickets.issue(everywhere, "spn_1", false)).secret()))
                        .spawnId());
        assertNull(
                now(tickets.redeem(now(tickets.issue(everywhere, null, false)).secret()))
                        .spawnId());
    }

    @Test
    void shouldSignInOnceAndOpenNothingElseByATicketOfAPerson() {
        Tickets tickets = new Tickets(new MemoryTickets(time), time);
        String secret = now(tickets.issueSignIn("oidc:ann", Role.CAPTAIN, 60_000));
        assertEquals(ErrorCode.UNAUTHENTICATED, refusal(tickets.redeem(secret)));
        assertEquals(ErrorCode.UNAUTHENTICATED, refusal(tickets.redeemSignIn(secret)), "it is used up");
        Tickets.SignIn signIn = now(tickets.redeemSignIn(now(tickets.issueSignIn("oidc:ann", Role.CAPTAIN, 60_000))));
        assertEquals(new Access("oidc:ann", Role.CAPTAIN, null, null, null), signIn.access());
        assertEquals(60_000, signIn.sessionMs());
        String late = now(tickets.issueSignIn("oidc:ann", Role.CAPTAIN, 60_000));
        time.pass(Tickets.TICKET_MS);
        assertEquals(ErrorCode.ATTACH_AUTH_EXPIRED, refusal(tickets.redeemSignIn(late)));
        Access known = new Access("alice", Role.CAPTAIN, null, null, null);
        assertEquals(
                Tickets.SIGNED_IN_MS,
                now(tickets.redeemSignIn(now(tickets.issue(known, null, false)).secret()))
                        .sessionMs());
    }

    @Test
    void shouldRefuseTooManyTicketsUntilSomeHaveExpired() {
        Tickets tickets = new Tickets(new MemoryTickets(time), time);
        Access captain = new Access("alice", Role.CAPTAIN, null, "secret", "tok_1");
        for (int i = 0; i < MemoryTickets.TICKETS_MAX; i++) {
            now(tickets.issue(captain, null, true));
        }
        assertEquals(ErrorCode.MAX_TOKENS, refusal(tickets.issue(captain, null, true)));
        time.pass(Tickets.TICKET_MS);
        now(tickets.issue(captain, null, true));
    }

    @Test
    void shouldUseATicketOnceAndNotForLong() {
        Tickets tickets = new Tickets(new MemoryTickets(time), time);
        Access captain = new Access("alice", Role.CAPTAIN, "spn_1", "secret", "tok_1");
        String ticket = now(tickets.issue(captain, "spn_1", true)).secret();
        assertEquals(new Access("alice", Role.WATCHER, "spn_1", null, "tok_1"), now(tickets.redeem(ticket)));
        assertEquals(ErrorCode.UNAUTHENTICATED, refusal(tickets.redeem(ticket)));
        String late = now(tickets.issue(captain, null, false)).secret();
        time.pass(Tickets.TICKET_MS);
        assertEquals(ErrorCode.ATTACH_AUTH_EXPIRED, refusal(tickets.redeem(late)));
        Access unknown = new Access("token", null, null, "secret", "tok_2");
        assertEquals(
                ErrorCode.FORBIDDEN,
                assertThrows(BrigException.class, () -> tickets.issue(unknown, null, true))
                        .code());
    }
}

package brig.gateway.resources;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.gateway.audit.AuditTrail;
import brig.gateway.audit.Costs;
import brig.gateway.auth.Access;
import brig.gateway.auth.MemoryTickets;
import brig.gateway.auth.Tickets;
import brig.gateway.auth.Token;
import brig.gateway.auth.Tokens;
import brig.gateway.http.Caller;
import brig.gateway.http.Who;
import brig.gateway.listener.AccessRegistry;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Sessions;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.SpawnBench;
import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.api.HttpRequest;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AuditAnswer;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.JsonObject;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the operations check that {@link Who} leaves to them: which callers may do it, and which are refused. */
class RightsTest {
    private static final String ASK_ID = Ids.newAskId(1);

    private final SpawnBench bench = new SpawnBench();
    private final FakeTime time = new FakeTime();
    private final Sessions sessions = new Sessions(
            bench.spawns(),
            (spawn, reason, by) -> CompletableFuture.completedFuture(null),
            bench.workers()::answer,
            time);
    private final Spawn spawn = bench.spawn(bench.start("fix"));
    private final Spawn other = bench.spawn(bench.start("other"));
    private final Tickets tickets = new Tickets(new MemoryTickets(time), time);
    private final Tokens tokens = new Tokens(Ids.newToken(), List.of(), new Unsaved(), time, time);
    private final ListenerServices listeners = new ListenerServices(
            null, new AccessRegistry(sessions, tokens, tickets), null, null, time, null, null, Set.of());
    private final AskCalls asks = new AskCalls(sessions);
    private final TokenCalls tokenCalls = new TokenCalls(listeners);
    private final EgressCalls egress = new EgressCalls(listeners, bench.workers());

    RightsTest() {
        ask(spawn, ASK_ID);
    }

    private void ask(Spawn asking, String askId) {
        bench.say(
                asking,
                "{\"type\":\"ask\",\"seq\":1,\"ts\":1,\"ask_id\":\"" + askId
                        + "\",\"kind\":\"tool\",\"title\":\"Bash\","
                        + "\"options\":[{\"id\":\"allow\",\"name\":\"Allow\"}],\"deadline\":2,\"default\":\"allow\"}\n");
    }

    private static final class Unsaved implements Tokens.Store {
        @Override
        public CompletionStage<Void> save(Collection<Token> all) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> saveAdmin(String secret) {
            return CompletableFuture.completedFuture(null);
        }
    }

    /** All kinds of callers; those with {@code BOUND} have a token of the session alone. */
    private enum Kind {
        ADMIN,
        CAPTAIN,
        OTHER_CAPTAIN,
        BOUND_CAPTAIN,
        APPROVER,
        BOUND_APPROVER,
        OTHER_APPROVER,
        WATCHER,
        BOUND_WATCHER
    }

    private Access access(Kind kind) {
        String captain = spawn.captain();
        return switch (kind) {
            case ADMIN -> new Access("admin", Role.ADMIN, null, null, null);
            case CAPTAIN -> new Access(captain, Role.CAPTAIN, null, null, null);
            case OTHER_CAPTAIN -> new Access("bob", Role.CAPTAIN, null, null, null);
            case BOUND_CAPTAIN -> new Access(captain, Role.CAPTAIN, spawn.spawnId(), null, null);
            case APPROVER -> new Access("ann", Role.APPROVER, null, null, null);
            case BOUND_APPROVER -> new Access("ann", Role.APPROVER, spawn.spawnId(), null, null);
            case OTHER_APPROVER -> new Access("ann", Role.APPROVER, other.spawnId(), null, null);
            case WATCHER -> new Access("watcher", Role.WATCHER, null, null, null);
            case BOUND_WATCHER -> new Access("watcher", Role.WATCHER, spawn.spawnId(), null, null);
        };
    }

    private Caller caller(Kind kind) {
        return Caller.of(
                access(kind), Who.SOMEBODY, null, sessions, new Caller.Connection("test", () -> false, () -> {}));
    }

    private void requireMay(String expected, Consumer<Kind> operation) {
        Set<String> may = Arrays.stream(Kind.values())
                .filter(kind -> isPermitted(() -> operation.accept(kind)))
                .map(Kind::name)
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(new TreeSet<>(List.of(expected.split(" ", -1))), may);
    }

    /** Whether it is not refused for want of rights. */
    private static boolean isPermitted(Runnable operation) {
        try {
            operation.run();
            return true;
        } catch (BrigException refusal) {
            Set<ErrorCode> rights = Set.of(ErrorCode.FORBIDDEN, ErrorCode.UNAUTHENTICATED, ErrorCode.NOT_FOUND);
            if (!rights.contains(refusal.code())) {
                throw refusal;
            }
            return false;
        }
    }

    private static void done(CompletionStage<?> stage) {
        stage.toCompletableFuture().join();
    }

    @Test
    void shouldLetCaptainsAndApproversOfTheSessionAnswerItsAsks() {
        requireMay(
                "ADMIN CAPTAIN BOUND_CAPTAIN APPROVER BOUND_APPROVER",
                kind -> done(asks.answer(caller(kind), new SpawnerRequest.AnswerAsk(ASK_ID, "allow", null, null))));
        assertEquals(
                "answer " + ASK_ID + " allow by ann via test", bench.story().getLast());
    }

    @Test
    void shouldShowAsksToWhomeverTheSessionIsShown() {
        ask(other, Ids.newAskId(2));
        SpawnerRequest.Asks all = new SpawnerRequest.Asks(null);
        assertEquals(2, asks.list(caller(Kind.APPROVER), all).asks().size());
        assertEquals(
                List.of(ASK_ID),
                asks.list(caller(Kind.BOUND_APPROVER), all).asks().stream()
                        .map(view -> view.ask().askId())
                        .toList());
        requireMay(
                "ADMIN CAPTAIN BOUND_CAPTAIN APPROVER BOUND_APPROVER WATCHER BOUND_WATCHER",
                kind -> asks.list(caller(kind), new SpawnerRequest.Asks("fix")));
    }

    @Test
    void shouldLetCaptainsAloneMintTokensOfTheSession() {
        for (Role role : List.of(Role.WATCHER, Role.APPROVER)) {
            requireMay(
                    "ADMIN CAPTAIN BOUND_CAPTAIN",
                    kind -> done(tokenCalls.mint(access(kind), new SpawnerRequest.MintToken(role, null, "fix", 60))));
        }
        for (Role role : Role.values()) {
            requireMay(
                    "ADMIN",
                    kind -> done(tokenCalls.mint(access(kind), new SpawnerRequest.MintToken(role, "ann", null, 60))));
        }
        requireMay(
                "ADMIN",
                kind -> done(
                        tokenCalls.mint(access(kind), new SpawnerRequest.MintToken(Role.CAPTAIN, null, "fix", 60))));
    }

    @Test
    void shouldLetAnAdminAloneGiveAnApproverAnotherName() {
        requireMay(
                "ADMIN",
                kind -> done(tokenCalls.mint(
                        access(kind), new SpawnerRequest.MintToken(Role.APPROVER, "alice", "fix", 60))));
    }

    @Test
    void shouldLetCaptainsAloneDecideSeeTokensAndReport() {
        String captains = "ADMIN CAPTAIN BOUND_CAPTAIN";
        requireMay(captains, kind -> egress.show(caller(kind), "fix"));
        requireMay(captains, kind -> tokenCalls.list(caller(kind), new SpawnerRequest.Tokens("fix")));
        requireMay(
                captains,
                kind -> sessions.find("fix").read(access(kind).in(spawn), JsonObject.EMPTY.with("action", "cancel")));
    }

    @Test
    void shouldShowTheAuditToCaptainsAlone() {
        AuditCalls audit = new AuditCalls(listeners, new AuditTrail(bench.workers(), new EmptyIndex(), time));
        SpawnerRequest.Audit all = new SpawnerRequest.Audit(null, null, null, 0, 0, 0, 0, null);
        requireMay("ADMIN CAPTAIN OTHER_CAPTAIN BOUND_CAPTAIN", kind -> done(audit.list(caller(kind), all)));
        SpawnerRequest.Costs costs = new SpawnerRequest.Costs(null, null, 0, 0);
        requireMay("ADMIN CAPTAIN OTHER_CAPTAIN BOUND_CAPTAIN", kind -> done(audit.costs(caller(kind), costs)));
    }

    private static final class EmptyIndex implements AuditTrail.Index {
        @Override
        public CompletionStage<String> position() {
            return CompletableFuture.failedFuture(new IllegalStateException("there is no worker-agent"));
        }

        @Override
        public CompletionStage<Void> add(AuditAnswer part) {
            throw new AssertionError("there is nothing to add");
        }

        @Override
        public CompletionStage<AuditTrail.Page> find(AuditTrail.Query query) {
            return CompletableFuture.completedFuture(new AuditTrail.Page(List.of(), 0));
        }

        @Override
        public CompletionStage<List<Costs.Sum>> costs(@Nullable List<String> workers, long sinceMs, long untilMs) {
            return CompletableFuture.completedFuture(List.of());
        }
    }

    @Test
    void shouldTakeAnApproverForAWatcherOnAConnection() {
        assertEquals(Role.WATCHER, access(Kind.APPROVER).in(spawn).connectionRole());
        assertEquals(Role.CAPTAIN, access(Kind.ADMIN).in(spawn).connectionRole());
        BrigException refusal = assertThrows(
                BrigException.class,
                () -> sessions.find("fix").handleOrder(access(Kind.APPROVER), new CaptainLine.Cancel(), false, "test"));
        assertEquals(ErrorCode.FORBIDDEN, refusal.code());
    }

    @Test
    void shouldGiveAnApproverNoTicketOfACaptain() {
        for (HttpRequest.Part part : HttpRequest.Part.values()) {
            for (@Nullable String session : Arrays.asList("fix", null)) {
                HttpRequest.Ticket wish = new HttpRequest.Ticket(session, part);
                if (part == HttpRequest.Part.CAPTAIN) {
                    assertThrows(BrigException.class, () -> tokenCalls.ticket(caller(Kind.APPROVER), wish));
                } else {
                    assertEquals(
                            Role.WATCHER,
                            tokenCalls
                                    .ticket(caller(Kind.APPROVER), wish)
                                    .toCompletableFuture()
                                    .join()
                                    .role());
                }
            }
        }
        String ticket = tokenCalls
                .ticket(caller(Kind.APPROVER), new HttpRequest.Ticket("fix", null))
                .toCompletableFuture()
                .join()
                .ticket();
        Access redeemed = tickets.redeem(ticket).toCompletableFuture().join();
        assertEquals(Role.APPROVER, redeemed.role());
        assertEquals(spawn.spawnId(), redeemed.spawnId());
    }
}

package brig.gateway.session;

import brig.gateway.auth.Access;
import brig.gateway.auth.Token;
import brig.gateway.spawn.AskListener;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawns;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.api.AskChange;
import brig.protocol.api.AskList;
import brig.protocol.api.SessionChange;
import brig.protocol.api.SpawnView;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.AskAnswer;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.Frame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds sessions by any of their names, and what their agents ask. Owned by the event loop.
 *
 * <p>Decisions 0145, 0149.
 */
public final class Sessions {
    /** How many sessions may be above one. */
    public static final int DEPTH_MAX = 32;

    private static final int ENDED_TREES_MAX = 32;

    private final Spawns spawns;
    private final Terminator terminator;
    private final Answerer answerer;
    private final Timers timers;
    private final CaptainLeases leases;
    /** Presence by session, for sessions with connections. */
    private final Map<String, Presence> presences = new HashMap<>();
    /** Ended spawns whose tree was read and is in memory, least recently read first. */
    private final LinkedHashSet<Spawn> treesRead = new LinkedHashSet<>();

    /** Carries out a captain's request to end its session. */
    @FunctionalInterface
    public interface Terminator {
        /** @param by who asked for it */
        CompletionStage<Void> terminate(Spawn spawn, String reason, String by);
    }

    /** Passes on an answer to what the agent of a worker asks, see {@code WorkerAgent.answer}. */
    @FunctionalInterface
    public interface Answerer {
        CompletionStage<AskAnswer> answer(String workerId, String askId, AnswerChoice choice);
    }

    public Sessions(Spawns spawns, Terminator terminator, Answerer answerer, Timers timers) {
        this.spawns = spawns;
        this.terminator = terminator;
        this.answerer = answerer;
        this.timers = timers;
        this.leases = new CaptainLeases(timers, terminator);
    }

    /** The session with that spawn_id or task_id. @throws BrigException {@code NOT_FOUND} */
    public Session find(String id) {
        return spawns.find(id)
                .map(this::of)
                .orElseThrow(() -> new BrigException(ErrorCode.NOT_FOUND, "there is no session '" + id + "'"));
    }

    /**
     * Resolves a spawn's name to its spawn_id. What a spawn left behind may outlive the gateway's knowledge of it, so a
     * spawn_id resolves to itself.
     *
     * @throws BrigException {@code NOT_FOUND}
     */
    public String spawnId(String id) {
        return spawns.find(id).isEmpty() && Ids.isSpawnId(id)
                ? id
                : find(id).spawn().spawnId();
    }

    /** Whether it is one of the two tokens of the session with that name. */
    public boolean isOwnToken(String token, String id) {
        return spawns.find(id)
                .filter(spawn -> spawn.isCaptainToken(token) || spawn.isWatcherToken(token))
                .isPresent();
    }

    /** Whether {@link #spawnId} resolves that name. */
    public boolean knows(String id) {
        return Ids.isSpawnId(id) || spawns.find(id).isPresent();
    }

    public Session of(Spawn spawn) {
        return new Session(spawn, this);
    }

    /** The presence of a session; created on first use. */
    Presence presence(Spawn spawn) {
        String id = spawn.spawnId();
        return presences.computeIfAbsent(id, key -> new Presence(timers, () -> presences.remove(id)));
    }

    /** The presence of a session; null without connections. */
    @Nullable
    Presence known(Spawn spawn) {
        return presences.get(spawn.spawnId());
    }

    /** Notes that a tree was read. Only some trees of ended spawns stay in memory. */
    void noteRead(Spawn spawn) {
        if (spawn.state().isFinal()) {
            treesRead.addLast(spawn);
            if (treesRead.size() > ENDED_TREES_MAX) {
                treesRead.removeFirst().tree().forget();
            }
        }
    }

    CaptainLeases leases() {
        return leases;
    }

    /** The gateway stops and disconnects its captains: leases must not expire because of that. */
    public void keepAll() {
        leases.close();
    }

    Terminator terminator() {
        return terminator;
    }

    /** The session with that spawn_id, and no other name. @throws BrigException {@code NOT_FOUND} */
    public Session ofSpawn(String spawnId) {
        return exactly(
                "spawn_id",
                spawnId,
                spawns.find(spawnId).filter(spawn -> spawn.spawnId().equals(spawnId)));
    }

    /** The session of the spawn with that request_id. @throws BrigException {@code NOT_FOUND} */
    public Session ofRequest(String requestId) {
        return exactly("request_id", requestId, spawns.findByRequest(requestId));
    }

    /** The session whose agent reported that session_id. @throws BrigException {@code NOT_FOUND} */
    public Session ofSession(String sessionId) {
        return exactly(
                "session_id", sessionId, spawns.find(sessionId).filter(spawn -> sessionId.equals(spawn.sessionId())));
    }

    private Session exactly(String name, String id, Optional<Spawn> found) {
        return found.map(this::of)
                .orElseThrow(() ->
                        new BrigException(ErrorCode.NOT_FOUND, "there is no spawn with " + name + " '" + id + "'"));
    }

    /** All known spawns, newest first. */
    public List<Spawn> all() {
        return spawns.all();
    }

    /**
     * The open asks, the one with the nearest deadline first.
     *
     * @param top any name of a session, for its asks and those of the sessions that work for it; null for all sessions
     *     that the access reads
     * @throws BrigException {@code NOT_FOUND}, or if the access does not open that session
     */
    public AskList asks(Access access, @Nullable String top) {
        return new AskList(spawns.all().stream()
                .filter(asking(access, top))
                .flatMap(spawn -> spawn.asks().open().stream())
                .sorted(Comparator.comparing(view -> view.ask().deadline()))
                .toList());
    }

    /**
     * The same asks, and each ask and answer from then on.
     *
     * @throws BrigException as {@link #asks}
     */
    public Followed<AskChange> followAsks(Access access, @Nullable String top) {
        Predicate<Spawn> asking = asking(access, top);
        return new AskNews(() -> asks(access, top), listener -> listen(asking, listener));
    }

    private Runnable listen(Predicate<Spawn> asking, Consumer<AskChange> listener) {
        return spawns.followAsks(new AskListener() {
            @Override
            public void handleAsk(Spawn spawn, Frame.Ask ask) {
                if (asking.test(spawn)) {
                    listener.accept(new AskChange.Ask(spawn.asks().view(ask)));
                }
            }

            @Override
            public void handleSettled(Spawn spawn, Frame.Answered answered) {
                if (asking.test(spawn)) {
                    listener.accept(new AskChange.Answered(spawn.spawnId(), answered));
                }
            }
        });
    }

    private Predicate<Spawn> asking(Access access, @Nullable String top) {
        if (top == null) {
            return spawn -> reader(access, spawn) != null;
        }
        Spawn above = find(top).spawn();
        access.in(above);
        return spawn -> access.opens(above) && withAncestors(spawn).contains(above);
    }

    /**
     * Passes on an answer. Captains and approvers of the asking session, or of one above it, may answer, whichever captain
     * holds control.
     *
     * @param via the interface it came by
     * @return fails with {@code ASK_SETTLED} if something was faster
     * @throws BrigException {@code NOT_FOUND}, also for an ask of a session that the access does not read; {@code
     *     FORBIDDEN}, {@code INVALID_FIELD}
     */
    public CompletionStage<AskAnswer> answer(Access access, CaptainLine.AnswerAsk answer, String via) {
        Spawn asking = asking(answer, spawn -> reader(access, spawn) != null);
        Access here = Objects.requireNonNull(reader(access, asking), "the access reads it");
        return answer(here, asking, answer, via, access.isAdmin());
    }

    /**
     * As {@link #answer}, for the asks of one session and of those that work for it.
     *
     * @param here the access within that session
     */
    CompletionStage<AskAnswer> answerWithin(Access here, Spawn top, CaptainLine.AnswerAsk answer, String via) {
        Spawn asking = asking(answer, spawn -> withAncestors(spawn).contains(top));
        return answer(here, asking, answer, via, false);
    }

    private CompletionStage<AskAnswer> answer(
            Access here, Spawn asking, CaptainLine.AnswerAsk answer, String via, boolean admin) {
        here.requireApprover();
        of(asking).requireAlive();
        AnswerChoice choice = new AnswerChoice(answer.option(), answer.text(), here.captain(), via, admin);
        return answerer.answer(asking.workerId(), answer.askId(), choice);
    }

    private Spawn asking(CaptainLine.AnswerAsk answer, Predicate<Spawn> answerable) {
        AnswerChoice.requireOne(answer.option(), answer.text());
        String askId = answer.askId();
        return spawns.all().stream()
                .filter(spawn -> spawn.asks().knows(askId) && answerable.test(spawn))
                .findFirst()
                .orElseThrow(() -> new BrigException(
                        ErrorCode.NOT_FOUND, "there is no ask '" + askId + "'; 'brig asks' lists those that wait"));
    }

    /** The access within that session, or within the nearest one above it that it opens; null for none. */
    public @Nullable Access reader(Access access, Spawn spawn) {
        return withAncestors(spawn).stream()
                .filter(access::opens)
                .findFirst()
                .map(access::in)
                .orElse(null);
    }

    /** That spawn and those above it, the nearest first; some may be forgotten. */
    public List<Spawn> withAncestors(Spawn spawn) {
        List<Spawn> above = new ArrayList<>();
        @Nullable Spawn at = spawn;
        while (at != null && above.size() <= DEPTH_MAX) {
            above.add(at);
            String parent = at.parent();
            at = parent == null ? null : spawns.find(parent).orElse(null);
        }
        return above;
    }

    /** The initial tokens of the spawns that have not ended. */
    public Stream<Token> ownTokens() {
        return spawns.all().stream()
                .filter(spawn -> !spawn.state().isFinal())
                .flatMap(spawn -> Stream.of(Token.ownOf(spawn, Role.CAPTAIN), Token.ownOf(spawn, Role.WATCHER)));
    }

    /**
     * The sessions visible to that access, and what changes of them.
     *
     * @param ended how many of those that ended it begins with, the newest
     */
    public Followed<SessionChange> followSessions(Access access, int ended) {
        return new SessionNews(spawns, this, access, ended, timers);
    }

    /** Views of the spawns visible to that access, newest first. */
    public List<SpawnView> views(Access access) {
        return spawns.all().stream().filter(access::sees).map(Spawn::view).toList();
    }

    /** Whether that session is known and visible to that access. */
    public boolean isOf(String spawnId, Access access) {
        return spawns.find(spawnId).filter(access::sees).isPresent();
    }
}

package brig.workeragent.budget;

import brig.egress.budget.Limit;
import brig.egress.budget.PurseSpec;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.json.Json;
import brig.protocol.spawn.Budget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The budgets of sessions, and which sessions are above which. A session without a budget, below none with one, is not
 * here. The file has a line before a session starts, so that a tree keeps its budget when a process dies.
 *
 * <p>Thread-safe.
 *
 * <p>Decision 0199.
 */
public final class Budgets {
    private static final Logger LOG = LoggerFactory.getLogger(Budgets.class);
    static final int SESSIONS_MAX = 20_000;
    static final long KEPT_MS = 30L * 24 * 3600 * 1000;

    /**
     * What holds for one session.
     *
     * @param endsAt when its time is over, in milliseconds since 1970; 0 for never
     * @param wallMs the time that it has from its start; 0 for any
     * @param own its own budget, without those above
     */
    public record Terms(long endsAt, long wallMs, Budget.OnLimit onLimit, Budget own) {
        public static final Terms NONE = new Terms(0, 0, Budget.OnLimit.REFUSE, Budget.NONE);
    }

    private record Session(@Nullable String parent, Budget budget, Limit limit, long startedAt) {}

    private final Path folder;
    private final Path file;
    private final BudgetConfig config;
    private final LongSupplier clockMs;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Map<String, Session> sessions = new LinkedHashMap<>();
    private boolean read;

    /** @param folder of this class and {@link LedgerFolder}; made when it is needed */
    public Budgets(Path folder, BudgetConfig config, LongSupplier clockMs) {
        this.folder = folder;
        this.file = folder.resolve("sessions.jsonl");
        this.config = config;
        this.clockMs = clockMs;
    }

    /**
     * A session is to start. Asked again for the same one, it answers the same.
     *
     * @param budget its own, within those of its profile and its policy
     * @throws BrigException {@code BUDGET_EXHAUSTED} if a session above has no further session or no time left
     */
    public Terms admit(String spawnId, @Nullable String parent, Budget budget) {
        lock.lock();
        try {
            readOnce();
            if (!sessions.containsKey(spawnId)) {
                boolean isBelow = parent != null && sessions.containsKey(parent);
                if (!budget.limits() && !isBelow) {
                    return new Terms(0, 0, onLimit(budget), budget);
                }
                requireRoom(parent == null ? List.of() : withAncestors(parent));
                Session session =
                        new Session(isBelow ? parent : null, budget, BudgetConfig.of(budget), clockMs.getAsLong());
                append(new BudgetLine.Admitted(spawnId, session.parent, budget, session.startedAt));
                sessions.put(spawnId, session);
            }
            return terms(spawnId);
        } finally {
            lock.unlock();
        }
    }

    private static Budget.OnLimit onLimit(Budget budget) {
        return budget.onLimit() == null ? Budget.OnLimit.REFUSE : budget.onLimit();
    }

    private Terms terms(String spawnId) {
        List<Session> all = withAncestors(spawnId).stream().map(this::session).toList();
        Session own = all.getFirst();
        long endsAt = all.stream()
                .filter(session -> session.budget.wallMs() != null)
                .mapToLong(Budgets::endsAt)
                .min()
                .orElse(0);
        Budget.OnLimit onLimit = all.stream()
                .map(session -> session.budget.onLimit())
                .filter(chosen -> chosen != null)
                .findFirst()
                .orElse(Budget.OnLimit.REFUSE);
        return new Terms(endsAt, endsAt == 0 ? 0 : endsAt - own.startedAt, onLimit, own.budget);
    }

    private static long endsAt(Session session) {
        Long wallMs = session.budget.wallMs();
        return wallMs == null ? 0 : session.startedAt + wallMs;
    }

    private void requireRoom(List<String> above) {
        long now = clockMs.getAsLong();
        for (String id : above) {
            Session session = session(id);
            Long spawns = session.budget.spawns();
            if (spawns != null && below(id) >= spawns) {
                throw exhausted("the session " + id + " may have " + spawns + " sessions below it (budget.spawns)");
            }
            if (session.budget.wallMs() != null && now >= endsAt(session)) {
                throw exhausted("the time of the session " + id + " is over (budget.wall_ms)");
            }
        }
    }

    private static BrigException exhausted(String why) {
        return new BrigException(ErrorCode.BUDGET_EXHAUSTED, why);
    }

    private long below(String ancestor) {
        return sessions.keySet().stream()
                .filter(id -> !id.equals(ancestor) && withAncestors(id).contains(ancestor))
                .count();
    }

    private Session session(String id) {
        return Objects.requireNonNull(sessions.get(id));
    }

    /** The session and those above it, the nearest first. */
    private List<String> withAncestors(String spawnId) {
        List<String> all = new ArrayList<>();
        String id = spawnId;
        while (id != null && sessions.containsKey(id) && !all.contains(id)) {
            all.add(id);
            id = session(id).parent;
        }
        return all;
    }

    /**
     * The purses that requests of a session are charged to, its own first.
     *
     * @param captain null if it is not known
     */
    public List<PurseSpec> purses(String spawnId, @Nullable String captain) {
        List<PurseSpec> purses = new ArrayList<>();
        lock.lock();
        try {
            readOnce();
            for (String id : withAncestors(spawnId)) {
                Limit limit = session(id).limit;
                if (!limit.isNone()) {
                    purses.add(PurseSpec.ofSession(id, limit));
                }
            }
        } finally {
            lock.unlock();
        }
        if (captain != null && !config.captainDay().isNone()) {
            purses.add(PurseSpec.ofCaptain(captain, config.captainDay()));
        }
        if (!config.day().isNone()) {
            purses.add(PurseSpec.ofDay(config.day()));
        }
        return purses;
    }

    /**
     * A person gives a session as much again.
     *
     * @return its limit now; null if it has none
     */
    public @Nullable Limit raise(String spawnId) {
        lock.lock();
        try {
            readOnce();
            Session before = sessions.get(spawnId);
            if (before == null || before.limit.isNone()) {
                return null;
            }
            Limit limit = before.limit.again(BudgetConfig.of(before.budget));
            append(new BudgetLine.Raised(spawnId, limit));
            sessions.put(spawnId, new Session(before.parent, before.budget, limit, before.startedAt));
            return limit;
        } finally {
            lock.unlock();
        }
    }

    private void append(BudgetLine line) {
        try {
            Files.write(file, Json.writeLine((Record) line), StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw Reason.refusal(ErrorCode.SANDBOX_UNAVAILABLE, "the budget cannot be written down", e);
        }
    }

    /** Reads the file at first use, and writes it anew without what is old. */
    private void readOnce() {
        if (read) {
            return;
        }
        try {
            LedgerFolder.makeFolder(folder);
            if (Files.exists(file)) {
                for (String line : Files.readAllLines(file)) {
                    readLine(line);
                }
                forgetOld();
            }
            rewrite();
            read = true;
        } catch (IOException e) {
            throw Reason.refusal(ErrorCode.SANDBOX_UNAVAILABLE, "the budgets cannot be read", e);
        }
    }

    private void readLine(String text) {
        try {
            switch (Json.read(text.getBytes(StandardCharsets.UTF_8), BudgetLine.class)) {
                case BudgetLine.Admitted line ->
                    sessions.put(
                            line.spawnId(),
                            new Session(
                                    line.parent(), line.budget(), BudgetConfig.of(line.budget()), line.startedAt()));
                case BudgetLine.Raised line ->
                    sessions.computeIfPresent(
                            line.spawnId(),
                            (id, before) -> new Session(before.parent, before.budget, line.limit(), before.startedAt));
            }
        } catch (BrigException e) {
            LOG.warn("a line of {} is no budget: {}", file, e.getMessage());
        }
    }

    private void forgetOld() {
        long before = clockMs.getAsLong() - KEPT_MS;
        Set<String> ids = sessions.keySet();
        int surplus = Math.max(0, ids.size() - SESSIONS_MAX);
        sessions.values().removeIf(session -> session.startedAt < before);
        ids.stream().limit(surplus).toList().forEach(sessions::remove);
    }

    private void rewrite() throws IOException {
        StringBuilder all = new StringBuilder();
        sessions.forEach((id, session) -> {
            add(all, new BudgetLine.Admitted(id, session.parent, session.budget, session.startedAt));
            if (!session.limit.equals(BudgetConfig.of(session.budget))) {
                add(all, new BudgetLine.Raised(id, session.limit));
            }
        });
        Path next = file.resolveSibling("sessions.next");
        Files.deleteIfExists(next);
        Files.createFile(next, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(next, all);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void add(StringBuilder all, BudgetLine line) {
        all.append(new String(Json.writeLine((Record) line), StandardCharsets.UTF_8));
    }
}

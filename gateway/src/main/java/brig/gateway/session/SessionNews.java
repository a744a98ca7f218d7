package brig.gateway.session;

import brig.gateway.auth.Access;
import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawns;
import brig.gateway.time.Timers;
import brig.protocol.api.SessionChange;
import brig.protocol.api.SpawnView;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that an access sees, and which of them changed. Only names wait, and each once: the view is made when it is
 * told. So a connection that takes little is told less often, and never what is no longer true. If the names of too many wait,
 * all sessions are told again.
 *
 * <p>Decision 0191.
 */
final class SessionNews implements Followed<SessionChange> {
    /** Sessions in one line, which bounds its size. */
    static final int SESSIONS_MAX = 64;

    static final int CHANGED_MAX = 1024;
    /** What happens at once is told at once. */
    static final long GATHER_MS = 20;

    static final long PAUSE_MS = 250;

    private final Spawns spawns;
    private final Sessions sessions;
    private final Access access;
    private final int ended;
    private final Timers timers;
    /** Changed since they were last told. */
    private final Set<String> changed = new LinkedHashSet<>();
    /** To be told now. */
    private final Set<String> due = new LinkedHashSet<>();
    /** How many names may wait. */
    private int waitingMax;
    /** Everything is to be told. */
    private boolean anew = true;

    private Timers.@Nullable Timer timer;
    private Runnable ready = () -> {};

    /** @param ended how many of those that ended are told at the beginning, the newest */
    SessionNews(Spawns spawns, Sessions sessions, Access access, int ended, Timers timers) {
        this.spawns = spawns;
        this.sessions = sessions;
        this.access = access;
        this.ended = ended;
        this.timers = timers;
    }

    @Override
    public Runnable begin(Runnable whenReady) {
        ready = whenReady;
        Runnable unfollow = spawns.followChanges(this::handle);
        return () -> {
            unfollow.run();
            if (timer != null) {
                timer.cancel();
            }
        };
    }

    private void handle(Spawn spawn) {
        if (!access.sees(spawn)) {
            return;
        }
        String id = spawn.spawnId();
        if (!anew && !due.contains(id)) {
            changed.add(id);
            if (due.size() + changed.size() > waitingMax) {
                anew = true;
                due.clear();
                changed.clear();
            }
        }
        if (timer == null) {
            timer = timers.after(GATHER_MS, this::handleTime);
        }
    }

    private void handleTime() {
        timer = null;
        if (anew || !changed.isEmpty()) {
            due.addAll(changed);
            changed.clear();
            timer = timers.after(PAUSE_MS, this::handleTime);
            ready.run();
        }
    }

    @Override
    public @Nullable SessionChange next() {
        if (anew) {
            anew = false;
            return all();
        }
        return due.isEmpty() ? null : dueNow();
    }

    private SessionChange all() {
        List<Spawn> seen = spawns.all().stream().filter(access::sees).toList();
        List<Spawn> over =
                seen.stream().filter(spawn -> spawn.state().isFinal()).toList();
        Set<Spawn> older = Set.copyOf(over.subList(Math.min(ended, over.size()), over.size()));
        List<Spawn> listed =
                seen.stream().filter(spawn -> !older.contains(spawn)).toList();
        listed.stream().skip(SESSIONS_MAX).map(Spawn::spawnId).forEach(due::add);
        waitingMax = due.size() + CHANGED_MAX;
        return new SessionChange.Sessions(
                listed.stream().limit(SESSIONS_MAX).map(this::view).toList(), !older.isEmpty());
    }

    private SessionChange dueNow() {
        List<SpawnView> now = new ArrayList<>();
        List<String> removed = new ArrayList<>();
        Iterator<String> names = due.iterator();
        for (int i = 0; i < SESSIONS_MAX && names.hasNext(); i++) {
            String id = names.next();
            names.remove();
            spawns.known(id).ifPresentOrElse(spawn -> now.add(view(spawn)), () -> removed.add(id));
        }
        return new SessionChange.SessionsChanged(now, removed);
    }

    private SpawnView view(Spawn spawn) {
        return sessions.of(spawn).view();
    }

    @Override
    public String first() {
        return "all sessions";
    }
}

package brig.workeragent.tunnel.commands;

import brig.workeragent.tunnel.commands.PrivateMasks.Masks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The commands of one session on one other machine. */
public final class TunnelCommands implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TunnelCommands.class);
    private static final int WAITING_SECONDS = 10;
    private static final int STARTS_MAX = 5;
    private static final int AGAIN_AFTER_MS = 200;
    private static final long SEARCH_AFTER_NS = 10_000_000_000L;
    private static final Set<String> SHELLS = Set.of("bash", "ksh", "sh", "zsh");

    /**
     * What a session needs.
     *
     * @param folder of the other machine, absolute; the agent starts there
     * @param folders where folders of the wall are on the other machine; empty for the same path
     * @param privateFiles globs as in a policy
     * @param variables names that commands get from the agent besides the usual ones
     */
    public record Spec(String folder, Map<String, String> folders, List<String> privateFiles, Set<String> variables) {}

    /** Hears what may change the files that the agent sees. */
    public interface Listener {
        /** A command ended, and may have changed any file; its caller does not know yet. */
        void handleEnd();

        /** These files are private, besides those with such a name: absolute paths there. */
        void handlePrivate(Set<String> files);
    }

    /**
     * How private files are kept from commands.
     *
     * @param enforced whether the other machine hides them; otherwise the text of each command is checked
     * @param reason why it does not; empty if it does or none is private
     */
    public record Posture(boolean enforced, String reason) {}

    private final Spec spec;
    private final SshMaster master;
    private final PathMap paths;
    private final PrivateMasks hidden;
    private final CommandCheck check;
    private final LongSupplier nanos;
    private final Listener listener;
    private final Set<String> roots;
    private final boolean enforced;

    // Guarded by this.
    private Keeper keeper;
    private Masks masks;
    private long searched;
    private boolean searching;

    private TunnelCommands(Spec spec, SshMaster master, Keeper keeper, LongSupplier nanos, Listener listener)
            throws IOException, InterruptedException {
        this.spec = spec;
        this.master = master;
        this.keeper = keeper;
        this.nanos = nanos;
        this.listener = listener;
        Map<String, String> folders = new TreeMap<>();
        spec.folders.forEach((local, remote) -> folders.put(RemoteScript.bytes(local), RemoteScript.bytes(remote)));
        String folder = RemoteScript.bytes(spec.folder);
        if (folders.isEmpty()) folders.put(folder, folder);
        this.paths = new PathMap(folders);
        this.roots = Set.copyOf(folders.keySet());
        this.hidden = new PrivateMasks(folder, spec.privateFiles);
        this.check = new CommandCheck(spec.privateFiles);
        this.masks = new Masks(0, "", Set.of());
        this.masks = search();
        this.searched = nanos.getAsLong();
        this.enforced = hidden.isEmpty() || masks.enforced();
    }

    /**
     * Opens the session's way to the other machine.
     *
     * @throws IOException if the machine is out of reach, or all its sessions are taken
     * @throws IllegalArgumentException for a malformed folder or glob
     */
    public static TunnelCommands open(Spec spec, SshMaster master, Listener listener)
            throws IOException, InterruptedException {
        return open(spec, master, System::nanoTime, listener);
    }

    static TunnelCommands open(Spec spec, SshMaster master, LongSupplier nanos, Listener listener)
            throws IOException, InterruptedException {
        if (!master.sessions.tryAcquire(WAITING_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException(master.name() + " runs " + SshMaster.SESSIONS_MAX + " commands already");
        }
        Keeper keeper = null;
        TunnelCommands opened = null;
        try {
            keeper = Keeper.open(master);
            opened = new TunnelCommands(spec, master, keeper, nanos, listener);
            return opened;
        } finally {
            if (opened == null) {
                if (keeper != null) keeper.close();
                master.sessions.release();
            }
        }
    }

    String name() {
        return master.name();
    }

    /** The folders of the wall that are of this machine; byte strings. */
    Collection<String> roots() {
        return roots;
    }

    /** Where the agent begins in the wall; a byte string. */
    String directory() {
        String local = paths.toLocal(RemoteScript.bytes(spec.folder));
        return local == null ? RemoteScript.bytes(spec.folder) : local;
    }

    /** Whether a folder of the wall is one of this machine. */
    boolean has(String folder) {
        return roots.stream().anyMatch(root -> PathMap.isBelow(folder, root));
    }

    /** What a person is told first. What is typed into a shell is not checked. */
    String privacy() {
        if (hidden.isEmpty()) return "";
        Posture posture = posture();
        return posture.enforced()
                ? "private files on " + master.name() + " are hidden from this shell (enforced)"
                : "private files on " + master.name() + " are not kept from this shell: " + posture.reason();
    }

    public synchronized Posture posture() {
        return new Posture(enforced, hidden.isEmpty() ? "" : masks.reason());
    }

    /** Why a command does not run, or null. */
    @Nullable
    String refusal(ShellRequest request) {
        List<String> arguments = request.arguments();
        if (ShellHabits.asksForSnapshot(arguments)) return "commands run on another machine, in its login shell";
        if (!enforced) {
            Set<String> known;
            synchronized (this) {
                known = masks.files();
            }
            String word = check.privateWord(arguments.subList(1, arguments.size()), known);
            if (word != null) return "this command names a private file: " + word;
        }
        return null;
    }

    /**
     * Runs a command of the wall, and tells its caller how it ended.
     *
     * @param mayReturn whether the agent may be told that the command ended in that folder of the wall; a byte string
     */
    void run(ShellRequest request, Predicate<String> mayReturn, ShellConnection caller)
            throws IOException, InterruptedException {
        RemoteCommand.Plan plan = plan(request);
        if (plan.script("", Keeper.mark()).length() > RemoteScript.BYTES_MAX) {
            caller.end("the command is longer than another machine takes at once", ShellConnection.REFUSED);
            return;
        }
        if (!master.sessions.tryAcquire(WAITING_SECONDS, TimeUnit.SECONDS)) {
            caller.say("waiting: " + SshMaster.SESSIONS_MAX + " commands run on " + master.name() + " already");
            master.sessions.acquire();
        }
        try {
            run(plan, mayReturn, caller);
        } finally {
            master.sessions.release();
        }
    }

    /** A session that was not admitted did nothing, so it is asked for again. */
    private void run(RemoteCommand.Plan plan, Predicate<String> mayReturn, ShellConnection caller)
            throws IOException, InterruptedException {
        for (int starts = 1; ; starts++) {
            RemoteCommand command = start(plan);
            RemoteCommand.End end = caller.join(command);
            if (caller.isGone()) return;
            if (!end.started() && starts < STARTS_MAX) {
                Thread.sleep((long) AGAIN_AFTER_MS * starts);
                searchAgain();
                continue;
            }
            String lost = RemoteCommand.lost(end, master.name());
            if (lost != null) throw new IOException(lost);
            listener.handleEnd();
            caller.end(
                    command,
                    end,
                    plan.returned().isEmpty() ? null : plan.returned(),
                    returned(end.returned(), mayReturn));
            return;
        }
    }

    /** A folder in which a command ended; nothing if the wall has no such folder. */
    private String returned(String content, Predicate<String> mayReturn) {
        String folder = content.strip();
        String local = folder.startsWith("/") && folder.indexOf('\n') < 0 ? paths.toLocal(folder) : null;
        return local == null || !mayReturn.test(local) ? "" : local + "\n";
    }

    private RemoteCommand.Plan plan(ShellRequest request) {
        List<String> variables = new ArrayList<>();
        ShellHabits.variables(request.environment(), spec.variables)
                .forEach((name, value) -> variables.add(name + "=" + value));
        List<String> words = new ArrayList<>();
        words.add(SHELLS.contains(request.shell()) ? request.shell() : "sh");
        if (request.login()) words.add("-l");
        List<String> arguments = request.arguments();
        arguments.subList(1, arguments.size()).forEach(argument -> words.add(paths.textToRemote(argument)));
        String returned = ShellHabits.returnedFile(arguments);
        return new RemoteCommand.Plan(
                paths.toRemote(request.folder()),
                variables,
                words,
                returned == null ? "" : returned,
                request.tty() ? Math.max(1, request.rows()) : 0,
                request.columns());
    }

    private synchronized RemoteCommand start(RemoteCommand.Plan plan) throws IOException, InterruptedException {
        if (!keeper.isAlive()) {
            keeper.close();
            keeper = Keeper.open(master);
            masks = search();
        } else if (!hidden.isEmpty() && !searching && nanos.getAsLong() - searched > SEARCH_AFTER_NS) {
            searching = true;
            Pumps.start(this::searchLater);
        }
        if (enforced && !hidden.isEmpty() && !masks.enforced()) {
            throw new IOException("private files cannot be hidden on " + master.name() + " any more");
        }
        return RemoteCommand.start(master, keeper, plan, before());
    }

    /** The words that enter the masks. */
    private String before() {
        if (!masks.enforced()) return "";
        return RemoteScript.word(keeper.nsenter()) + " -t " + masks.holder() + " -U -m --preserve-credentials -- ";
    }

    synchronized Masks masks() {
        return masks;
    }

    private Masks search() throws IOException, InterruptedException {
        return hidden.isEmpty() ? new Masks(0, "", Set.of()) : told(hidden.search(keeper, masks.files()));
    }

    private Masks told(Masks found) {
        listener.handlePrivate(found.files().stream().map(RemoteScript::text).collect(Collectors.toSet()));
        return found;
    }

    /** A command ended what holds the masks, or the link is new. */
    private synchronized void searchAgain() throws IOException, InterruptedException {
        if (keeper.isAlive()) masks = search();
    }

    private void searchLater() {
        Keeper of;
        Set<String> before;
        synchronized (this) {
            of = keeper;
            before = masks.files();
        }
        try {
            Masks found = told(hidden.search(of, before));
            synchronized (this) {
                if (keeper == of && (found.enforced() || !enforced)) masks = found;
            }
        } catch (IOException e) {
            LOG.warn("private files of {} were not searched for again: {}", master.name(), e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (this) {
                searching = false;
                searched = nanos.getAsLong();
            }
        }
    }

    /** Ends all commands there. */
    @Override
    public void close() {
        synchronized (this) {
            keeper.close();
        }
        master.sessions.release();
    }
}

package brig.workeragent.sandbox;

import brig.workeragent.limits.LimitsLease;
import brig.workeragent.pipe.PipeLoops;
import brig.workeragent.sandbox.SandboxException.Code;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of brig-launcher. Requests are written on the executor only, replies are read on the thread that started the
 * program, so a full pipe in one direction never blocks the other. brig-launcher.c documents the protocol.
 *
 * <p>Decision 0003.
 */
final class LauncherLink {

    private static final Logger LOG = LoggerFactory.getLogger(LauncherLink.class);

    private final Process process;
    private final Path bwrap;
    private final Executor requests;
    private final Map<String, WallLaunch> flights = new ConcurrentHashMap<>();
    /** All that were prepared and not launched. */
    private final Map<String, Spare> spares = new ConcurrentHashMap<>();
    /** Owned by the executor: spares that are free to take, unless they ended meanwhile. */
    private final ArrayDeque<Spare> waiting = new ArrayDeque<>();

    private final PipeLoops pipes;
    private final Path socketFolder;
    /** Created with the first wall that has a network; written by the executor. */
    private volatile @Nullable DescriptorSocket descriptors;

    private volatile boolean closed;

    /** A first process that waits for its wall, and the groups that it is in. */
    record Spare(String id, LimitsLease lease, CompletableFuture<@Nullable Void> ended) {
        Spare(String id, LimitsLease lease) {
            this(id, lease, new CompletableFuture<>());
        }
    }

    private LauncherLink(Process process, Path bwrap, Path socketFolder, PipeLoops pipes, Executor requests) {
        this.process = process;
        this.pipes = pipes;
        this.bwrap = bwrap;
        this.socketFolder = socketFolder;
        this.requests = requests;
    }

    /** Call it on the thread that lives longest: the program dies with it. */
    static LauncherLink start(LauncherConfig config, PipeLoops pipes, Executor requests) throws SandboxException {
        Path program = config.nativeFolder().resolve("brig-launcher");
        var builder = new ProcessBuilder(program.toString(), config.bwrap().toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().clear();
        try {
            Path socketFolder = config.runtimeFolder().resolve("descriptors");
            return new LauncherLink(builder.start(), config.bwrap(), socketFolder, pipes, requests);
        } catch (IOException failed) {
            throw new SandboxException(
                    Code.SANDBOX_UNAVAILABLE,
                    "cannot start " + program + ", which the build makes: " + failed.getMessage());
        }
    }

    /** For the pipes of its workers. */
    PipeLoops pipes() {
        return pipes;
    }

    long pid() {
        return process.pid();
    }

    boolean isClosed() {
        return closed;
    }

    /** On the executor. Creates a first process, which waits in its groups until it is launched or discarded. */
    void prepare(Spare spare, WorkerIdentity identity) {
        var body = new ByteArrayOutputStream();
        if (identity.switched()) {
            field(body, "uid", Integer.toString(identity.uid()));
            field(body, "gid", Integer.toString(identity.gid()));
        }
        spare.lease().procsFiles().forEach(file -> field(body, "cgroup", file.toString()));
        spares.put(spare.id(), spare);
        write("prepare " + spare.id() + " " + body.size() + "\n", body.toByteArray());
        if (closed) handleSpareEnded(spare.id());
    }

    /** On the executor. Keeps a spare for a later launch. */
    void keep(Spare spare) {
        waiting.add(spare);
    }

    /** On the executor. Takes a kept spare; null for none. */
    @Nullable
    Spare takeSpare() {
        Spare spare = waiting.poll();
        while (spare != null && !spares.containsKey(spare.id())) spare = waiting.poll();
        return spare;
    }

    /** On the executor. Ends a spare and then releases its lease. */
    void discard(Spare spare) {
        write("kill " + spare.id() + "\n", new byte[0]);
    }

    /** On the executor. Discards all waiting spares; completes when they are gone. */
    CompletableFuture<Void> discardSpares() {
        waiting.forEach(this::discard);
        return CompletableFuture.allOf(waiting.stream().map(Spare::ended).toArray(CompletableFuture[]::new));
    }

    /** On the executor. */
    int sparesKept() {
        return waiting.size();
    }

    private void handleSpareEnded(String id) {
        Spare spare = spares.remove(id);
        if (spare == null) return;
        spare.lease().close();
        spare.ended().complete(null);
    }

    /** On the executor, before the launch: sets the wall's per-user limits, by files of /proc/sys/user. */
    void bound(String id, Map<String, Long> counts) {
        var body = new ByteArrayOutputStream();
        counts.forEach((name, most) -> field(body, name, Long.toString(most)));
        write("bounds " + id + " " + body.size() + "\n", body.toByteArray());
    }

    /** On the executor. */
    void launch(WallLaunch flight, Path filter, List<String> before, List<String> options, List<String> payload)
            throws SandboxException {
        NetworkPlan network = flight.request().profile().network();
        if (network.exists()) orderNetwork(flight.id(), network);
        var body = new ByteArrayOutputStream();
        field(body, "stdin", flight.request().stdinPipe() ? "pipe" : "null");
        field(body, "seccomp", filter.toString());
        before.forEach(word -> field(body, "before", word));
        options.forEach(option -> field(body, "arg", option));
        payload.forEach(word -> field(body, "exec", word));
        // Added to one map before it is removed from the other: a reply always finds its target.
        flights.put(flight.id(), flight);
        spares.remove(flight.id());
        write("launch " + flight.id() + " " + body.size() + "\n", body.toByteArray());
        // The reader empties the map only once, so later entries must be failed here.
        if (closed && flights.remove(flight.id(), flight)) flight.handleFailure(died());
    }

    /**
     * Thread-safe.
     *
     * @param first whether this is the wall's first socket, for which the launcher needs to know the destination
     */
    void orderSocket(String id, boolean first, String line) {
        try {
            requests.execute(() -> {
                try {
                    if (first) orderNetwork(id, NetworkPlan.NONE);
                } catch (SandboxException unreceivable) {
                    LOG.warn("{}", unreceivable.getMessage());
                }
                write(line, new byte[0]);
            });
        } catch (RejectedExecutionException closing) {
            LOG.debug("Not sent, as everything is ending: {}", line);
        }
    }

    private void orderNetwork(String id, NetworkPlan network) throws SandboxException {
        var body = new ByteArrayOutputStream();
        field(body, "to", descriptors().path().toString());
        network.listeners().forEach(listener -> field(body, "listen", listener.wanted()));
        write("network " + id + " " + body.size() + "\n", body.toByteArray());
    }

    private DescriptorSocket descriptors() throws SandboxException {
        DescriptorSocket current = descriptors;
        if (current != null && !current.isClosed()) return current;
        try {
            DescriptorSocket fresh = DescriptorSocket.open(socketFolder, pid());
            descriptors = fresh;
            // The reader closes only the socket that it sees at its end.
            if (closed) fresh.close();
            return fresh;
        } catch (IOException failed) {
            throw new SandboxException(
                    Code.SANDBOX_UNAVAILABLE, "cannot receive the sockets of walls: " + failed.getMessage());
        }
    }

    private static void field(ByteArrayOutputStream body, String name, String value) {
        body.writeBytes((name + "=" + value + "\0").getBytes(StandardCharsets.UTF_8));
    }

    /** Thread-safe. */
    void order(String line) {
        try {
            requests.execute(() -> write(line, new byte[0]));
        } catch (RejectedExecutionException closing) {
            LOG.debug("Not sent, as everything is ending: {}", line);
        }
    }

    private void write(String header, byte[] body) {
        try {
            var out = process.getOutputStream();
            out.write(header.getBytes(StandardCharsets.US_ASCII));
            out.write(body);
            out.flush();
        } catch (IOException broken) {
            // The reader sees the end too, and fails everything in flight.
            LOG.debug("brig-launcher takes no more requests: {}", broken.getMessage());
        }
    }

    /** Returns when the program has ended and everything in flight was failed. */
    void readReplies() {
        try (BufferedReader replies =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = replies.readLine(); line != null; line = replies.readLine()) handleReply(line);
        } catch (IOException | RuntimeException broken) {
            LOG.warn("Reading from brig-launcher", broken);
        }
        handleClose();
    }

    private void handleReply(String line) {
        String[] words = line.split(" ", 4);
        WallLaunch flight = words.length > 2 ? flights.get(words[1]) : null;
        if (words[0].equals("sockets")) {
            handleSockets(flight, words[2], number(words[3]));
            return;
        }
        if (flight == null) {
            boolean ended = words.length > 2 && (words[0].equals("exited") || words[0].equals("failed"));
            if (ended && spares.containsKey(words[1])) handleSpareEnded(words[1]);
            else LOG.warn("brig-launcher says: {}", line);
            return;
        }
        switch (words[0]) {
            case "started" -> {
                String[] ends = words[3].split(" ", -1);
                flight.handleStarted(pid(), number(words[2]), number(ends[0]), number(ends[1]));
            }
            case "nosockets" -> flight.network().handleRefused(number(words[2]), words[3]);
            case "posture" -> flight.handleFinding(words[2], words[3]);
            case "ready" -> flight.handleReady(number(words[2]));
            case "exited" -> remove(flight).handleExited(words[2].equals("signal"), number(words[3]));
            case "noexec" ->
                remove(flight)
                        .handleFailure(WallFailure.ofExec(
                                words[2], flight.request().command().getFirst()));
            case "failed" -> {
                if (words[2].equals("posture")) remove(flight).handleNotEnforced();
                else remove(flight).handleFailure(WallFailure.ofStep(words[2], words[3], bwrap));
            }
            default -> LOG.warn("brig-launcher says: {}", line);
        }
    }

    /** They must be taken, or they would be mistaken for later ones. */
    private void handleSockets(@Nullable WallLaunch flight, String number, int count) {
        DescriptorSocket current = descriptors;
        if (current == null) return;
        var _ = current.take(count).whenComplete((taken, lost) -> {
            if (flight != null && lost != null) flight.network().handleLost(died());
            else if (flight != null) flight.network().handleSockets(number(number), taken);
            else if (lost == null) taken.forEach(DescriptorSocket::close);
        });
    }

    private static int number(String word) {
        return Integer.parseInt(word);
    }

    private WallLaunch remove(WallLaunch flight) {
        flights.remove(flight.id());
        return flight;
    }

    private void handleClose() {
        closed = true;
        process.destroyForcibly();
        List.copyOf(spares.keySet()).forEach(this::handleSpareEnded);
        for (WallLaunch flight : List.copyOf(flights.values())) {
            if (flights.remove(flight.id(), flight)) flight.handleFailure(died());
        }
        DescriptorSocket current = descriptors;
        if (current != null) current.close();
    }

    private static SandboxException died() {
        return new SandboxException(Code.LAUNCHER_DIED, "brig-launcher ended, and with it all its walls");
    }

    /** On the executor. Closing its input ends the program and all its walls; the reader notices. */
    void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException alreadyGone) {
            LOG.debug("Closing brig-launcher: {}", alreadyGone.getMessage());
        }
    }
}

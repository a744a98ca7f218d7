package brig.workeragent.sandbox;

import brig.workeragent.sandbox.SandboxException.Code;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The sockets of one wall's network, and the creation of further ones. The owner of the process closes it, and with it
 * the sockets, except connections, which belong to their callers. Thread-safe.
 *
 * <p>Decision 0044.
 */
public final class WalledNetwork implements AutoCloseable {

    /** The number of a wall's initial sockets; those requested later have higher numbers. */
    private static final int FIRST = 0;

    private final String id;
    private final LauncherLink link;
    private final ReentrantLock lock = new ReentrantLock();
    private final CompletableFuture<List<Integer>> first = new CompletableFuture<>();

    // Guarded by the lock.
    private final Map<Integer, Request> asked = new HashMap<>();
    private final List<Integer> owned = new ArrayList<>();
    private int numbers = FIRST;
    /** Whether the launcher knows where to send sockets of this wall. */
    private boolean known;

    private boolean ended;
    private boolean closed;

    private record Request(String what, boolean listens, CompletableFuture<Integer> answer) {}

    WalledNetwork(String id, NetworkPlan plan, LauncherLink link) {
        this.id = id;
        this.link = link;
        this.known = plan.exists();
        if (!plan.exists()) first.complete(List.of());
    }

    /** In the order of the plan's listeners; empty without a network. */
    public List<Integer> listeners() {
        return first.join();
    }

    CompletableFuture<List<Integer>> whenThere() {
        return first;
    }

    /** Opens one more listener for that port on every address; fails with PORT_UNAVAILABLE. */
    public CompletableFuture<Integer> listen(int port) {
        return ask("listen", port);
    }

    /** Connects to that port of 127.0.0.1 inside, non-blocking; fails with PORT_UNAVAILABLE. */
    public CompletableFuture<Integer> dial(int port) {
        return ask("dial", port);
    }

    private CompletableFuture<Integer> ask(String verb, int port) {
        var request = new Request(verb + " " + port, verb.equals("listen"), new CompletableFuture<>());
        lock.lock();
        try {
            if (ended || closed) {
                request.answer.completeExceptionally(refusal(request, "the wall is gone"));
            } else {
                int number = ++numbers;
                asked.put(number, request);
                link.orderSocket(id, !known, verb + " " + id + " " + number + " " + port + "\n");
                known = true;
            }
        } finally {
            lock.unlock();
        }
        return request.answer.copy();
    }

    private static SandboxException refusal(Request request, String why) {
        String meaning = switch (why) {
            case "ECONNREFUSED" -> "nothing in the wall listens there";
            case "EADDRINUSE" -> "something in the wall has that port";
            default -> why;
        };
        return new SandboxException(Code.PORT_UNAVAILABLE, request.what + ": " + meaning);
    }

    void handleSockets(int number, List<Integer> descriptors) {
        Request request = null;
        boolean keep;
        lock.lock();
        try {
            if (number != FIRST) request = asked.remove(number);
            keep = !closed && (number == FIRST || request != null);
            if (keep && (request == null || request.listens)) owned.addAll(descriptors);
        } finally {
            lock.unlock();
        }
        if (!keep) {
            descriptors.forEach(DescriptorSocket::close);
            if (request != null) request.answer.completeExceptionally(refusal(request, "the wall is gone"));
        } else if (request == null) {
            first.complete(List.copyOf(descriptors));
        } else {
            request.answer.complete(descriptors.getFirst());
        }
    }

    void handleLost(SandboxException died) {
        first.completeExceptionally(died);
    }

    void handleRefused(int number, String why) {
        Request request;
        lock.lock();
        try {
            request = asked.remove(number);
        } finally {
            lock.unlock();
        }
        if (request != null) request.answer.completeExceptionally(refusal(request, why));
    }

    /** The wall is gone; pending requests fail. */
    void handleEnd() {
        List<Request> unanswered;
        lock.lock();
        try {
            ended = true;
            unanswered = List.copyOf(asked.values());
            asked.clear();
        } finally {
            lock.unlock();
        }
        unanswered.forEach(request -> request.answer.completeExceptionally(refusal(request, "the wall is gone")));
    }

    /** The listeners that are open now belong to the caller. */
    public void release() {
        lock.lock();
        try {
            owned.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Those listeners belong to the caller. */
    public void release(List<Integer> listeners) {
        lock.lock();
        try {
            owned.removeAll(listeners);
        } finally {
            lock.unlock();
        }
    }

    /** Whether something inside listens on that port of 127.0.0.1. */
    public CompletableFuture<Boolean> listens(int port) {
        return dial(port).handle((descriptor, refused) -> {
            if (refused == null) DescriptorSocket.close(descriptor);
            return refused == null;
        });
    }

    @Override
    public void close() {
        List<Integer> unused;
        lock.lock();
        try {
            closed = true;
            unused = List.copyOf(owned);
            owned.clear();
        } finally {
            lock.unlock();
        }
        unused.forEach(DescriptorSocket::close);
    }
}

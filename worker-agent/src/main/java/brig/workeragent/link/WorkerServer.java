package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.workeragent.pump.Outbox;
import brig.workeragent.worker.Worker;
import brig.workeragent.worker.WorkerSocket;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The socket of one worker. A connection that has sent its resume position ends the previous one. */
public final class WorkerServer implements WorkerSocket {
    /** The gateway, its successor, and some that have not sent anything yet. */
    private static final int CONNECTIONS_MAX = 8;

    private final Worker worker;
    private final UnixListener listener;
    private final ReentrantLock lock = new ReentrantLock();
    /** The connection that receives frames. Guarded by the lock, and changed together with the outbox's reader. */
    private @Nullable WorkerConnection current;

    private WorkerServer(RuntimeFolder folder, Worker worker) throws IOException {
        this.worker = worker;
        Path path = folder.workerSocket(worker.spawnId());
        this.listener = UnixListener.open(path, folder.peers(), CONNECTIONS_MAX, this::serve);
    }

    /** Creates workers' sockets in that folder. */
    public static WorkerSocket.Factory in(RuntimeFolder folder) {
        return worker -> {
            try {
                return new WorkerServer(folder, worker);
            } catch (IOException e) {
                throw new BrigException(
                        ErrorCode.INTERNAL,
                        "cannot listen for the worker " + worker.spawnId() + ": " + Reason.withFile(e));
            }
        };
    }

    private void serve(SocketChannel channel) {
        new WorkerConnection(worker, channel, this::handOver).run();
    }

    private Outbox.Reader handOver(WorkerConnection connection, long seq) {
        lock.lock();
        try {
            Outbox.Reader reader = worker.outbox().open(seq);
            if (current != null) {
                current.close();
            }
            current = connection;
            return reader;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Path path() {
        return listener.path();
    }

    @Override
    public void close() {
        listener.close();
    }
}

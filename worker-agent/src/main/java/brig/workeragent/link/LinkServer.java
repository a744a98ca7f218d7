package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.control.LinkPurpose;
import brig.protocol.control.PortAnswer;
import brig.protocol.control.Refusal;
import brig.protocol.json.Json;
import brig.workeragent.relay.Lines;
import brig.workeragent.tunnel.Tunnel;
import brig.workeragent.worker.Timers;
import brig.workeragent.worker.Workers;
import brig.workeragent.workspace.MadeWorkspaces;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link socket: all that gateways want of this worker-agent. The first line of a connection says what it is for.
 *
 * <p>Decisions 0154, 0157.
 */
public final class LinkServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LinkServer.class);
    /** One for each worker and each forwarded connection. */
    private static final int CONNECTIONS_MAX = 16_384;

    private static final int FIRST_LINE_BYTES_MAX = 1024;
    private static final long FIRST_LINE_MS = 5_000;

    private final Timers timers;
    private final Workers workers;
    private final MadeWorkspaces made;
    private final ControlOperations operations;
    private final PortConnection.Services ports;
    private final AtomicInteger controls = new AtomicInteger();
    private final LinkLoop loop;
    private final LinkEpochs epochs;
    private final UnixListener listener;

    private LinkServer(
            RuntimeFolder folder,
            Timers timers,
            Workers workers,
            MadeWorkspaces made,
            int portsMax,
            ControlOperations operations)
            throws IOException {
        this.timers = timers;
        this.workers = workers;
        this.made = made;
        this.operations = operations;
        this.ports = new PortConnection.Services(portsMax);
        this.loop = LinkLoop.open();
        this.epochs = new LinkEpochs(timers, loop::refresh);
        this.listener = UnixListener.open(folder.linkSocket(), folder.peers(), CONNECTIONS_MAX, this::serve);
    }

    /**
     * Listens.
     *
     * @param portsMax concurrent connections to servers of one worker
     * @throws BrigException if another process does, or the path is too long
     */
    public static LinkServer open(
            RuntimeFolder folder,
            Timers timers,
            Workers workers,
            MadeWorkspaces made,
            int portsMax,
            ControlOperations operations)
            throws IOException {
        return new LinkServer(folder, timers, workers, made, portsMax, operations);
    }

    private void serve(SocketChannel channel) {
        try {
            ByteBuffer bytes = ByteBuffer.allocate(FIRST_LINE_BYTES_MAX);
            LinkPurpose purpose = purpose(channel, bytes);
            if (purpose != null) {
                serve(channel, purpose, bytes);
            }
        } catch (IOException e) {
            LOG.debug("connection ended: {}", e.toString());
        } finally {
            epochs.leave(channel);
        }
    }

    /** What a connection is for; null if it closed before it said so, or was refused. Its link counts from here on. */
    private @Nullable LinkPurpose purpose(SocketChannel channel, ByteBuffer bytes) throws IOException {
        try {
            byte[] line = firstLine(channel, bytes);
            if (line == null) {
                return null;
            }
            LinkPurpose purpose = Json.read(line, LinkPurpose.class);
            epochs.enter(channel, purpose.epoch());
            return purpose;
        } catch (BrigException e) {
            LOG.warn("refused the first line of a connection: {}", e.getMessage());
            Lines.write(channel, ByteBuffer.wrap(Json.writeLine(Refusal.of(e))));
            return null;
        }
    }

    /** @param bytes is left with what came after the line */
    private byte @Nullable [] firstLine(SocketChannel channel, ByteBuffer bytes) throws IOException {
        Timers.Timer deadline = timers.schedule(FIRST_LINE_MS, () -> Lines.close(channel));
        try {
            return Lines.first(channel, bytes);
        } finally {
            deadline.cancel();
        }
    }

    private void serve(SocketChannel channel, LinkPurpose purpose, ByteBuffer rest) throws IOException {
        switch (purpose) {
            case LinkPurpose.Control control -> {
                controls.incrementAndGet();
                try {
                    new ControlConnection(channel, operations, () -> epochs.hear(control.epoch())).run(rest);
                } finally {
                    controls.decrementAndGet();
                }
            }
            case LinkPurpose.Worker wanted -> follow(channel, wanted, rest);
            case LinkPurpose.Transfer _ ->
                new TransferConnection(channel, rest, timers, workers, made, operations.handovers()).run();
            case LinkPurpose.Port wanted -> new PortConnection(channel, ports).run(wanted, workers);
            case LinkPurpose.Shell wanted -> shell(channel, wanted);
            case LinkPurpose.Egress _ -> operations.networks().relayed().serve(channel);
            case LinkPurpose.Granted wanted ->
                new GrantedConnection(channel, operations.networks().grants()).run(wanted, rest);
            case LinkPurpose.EgressEvents _ ->
                new EventsConnection(channel, operations.networks().grants().events()).run();
        }
    }

    private void follow(SocketChannel channel, LinkPurpose.Worker wanted, ByteBuffer rest) throws IOException {
        try {
            new WorkerConnection(workers.find(wanted.spawnId()), channel).run(loop, wanted.resume(), rest);
        } catch (BrigException e) {
            // A gateway looks for a forgotten worker until it knows better.
            LOG.debug("no frames for a gateway spawn_id={}: {}", wanted.spawnId(), e.getMessage());
        }
    }

    private void shell(SocketChannel channel, LinkPurpose.Shell wanted) throws IOException {
        try {
            Tunnel tunnel = workers.tunnels().find(wanted.spawnId());
            Lines.write(channel, ByteBuffer.wrap(Json.writeLine(PortAnswer.CONNECTED)));
            tunnel.shell(channel, wanted.terminal());
        } catch (BrigException e) {
            Lines.write(channel, ByteBuffer.wrap(Json.writeLine(PortAnswer.refused(e))));
        }
    }

    public Path path() {
        return listener.path();
    }

    /** Whether a gateway is connected. */
    public boolean connected() {
        return controls.get() > 0;
    }

    @Override
    public void close() {
        listener.close();
        loop.close();
        ports.close();
    }
}

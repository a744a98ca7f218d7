package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.LinkPurpose;
import brig.protocol.control.PortAnswer;
import brig.protocol.json.Json;
import brig.workeragent.grant.Grants;
import brig.workeragent.relay.Lines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards a connection of a wall on another host, which the gateway brings, to brig-egress. Each of two virtual threads
 * passes the bytes of one side on.
 *
 * <p>Decision 0160.
 */
final class GrantedConnection {
    private static final Logger LOG = LoggerFactory.getLogger(GrantedConnection.class);
    private static final int READ_BYTES_MAX = 64 * 1024;

    private final SocketChannel gateway;
    private final Grants grants;

    GrantedConnection(SocketChannel gateway, Grants grants) {
        this.gateway = gateway;
        this.grants = grants;
    }

    /**
     * Answers whether it is served, then forwards until both sides have ended.
     *
     * @param before what came after the first line
     */
    void run(LinkPurpose.Granted wanted, ByteBuffer before) throws IOException {
        try {
            if (wanted.refused() != null) {
                throw grants.refuse(wanted.stream(), wanted.refused());
            }
            forward(wanted, before);
        } catch (BrigException e) {
            answer(PortAnswer.refused(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void forward(LinkPurpose.Granted wanted, ByteBuffer before) throws IOException, InterruptedException {
        try (Grants.Connection egress = dial(wanted)) {
            answer(PortAnswer.CONNECTED);
            Thread back = Thread.ofVirtual().name("granted-back").start(() -> pass(egress.channel(), gateway));
            Lines.write(egress.channel(), before);
            pass(gateway, egress.channel());
            back.join();
        }
    }

    private Grants.Connection dial(LinkPurpose.Granted wanted) {
        try {
            return grants.connect(wanted.stream());
        } catch (IOException e) {
            LOG.warn("brig-egress takes no connection: {}", e.toString());
            throw new BrigException(ErrorCode.SANDBOX_UNAVAILABLE, "brig-egress at home takes no connection", 1);
        }
    }

    private void answer(PortAnswer answer) throws IOException {
        Lines.write(gateway, ByteBuffer.wrap(Json.writeLine(answer)));
    }

    /** Passes bytes on until their end, which the other side sees too. */
    private static void pass(SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES_MAX);
        try {
            while (from.read(buffer) >= 0) {
                Lines.write(to, buffer.flip());
                buffer.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            LOG.debug("a connection of a wall on another host ended: {}", e.toString());
            Lines.close(from);
            Lines.close(to);
        }
    }
}

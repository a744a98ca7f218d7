package brig.workeragent.link;

import brig.protocol.json.Json;
import brig.workeragent.grant.GrantEvents;
import brig.workeragent.relay.Lines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A gateway's connection for events of networks that are served for other hosts. */
final class EventsConnection {
    private static final Logger LOG = LoggerFactory.getLogger(EventsConnection.class);

    private final SocketChannel gateway;
    private final GrantEvents events;

    EventsConnection(SocketChannel gateway, GrantEvents events) {
        this.gateway = gateway;
        this.events = events;
    }

    /** Writes events until the gateway disconnects. */
    void run() throws IOException {
        Thread writer = Thread.ofVirtual().name("egress-events").start(this::write);
        try {
            ByteBuffer nothing = ByteBuffer.allocate(1);
            while (gateway.read(nothing.clear()) >= 0) {
                LOG.debug("a gateway says something where it only listens");
            }
        } finally {
            writer.interrupt();
        }
    }

    private void write() {
        try {
            while (true) {
                Lines.write(gateway, ByteBuffer.wrap(Json.writeLine(events.take())));
            }
        } catch (IOException e) {
            LOG.debug("a gateway no longer reads events: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

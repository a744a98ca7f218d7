package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.record.Flat;
import brig.protocol.record.Range;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/**
 * The first line of the gateway on a connection to the link socket: what the connection is for.
 *
 * <p>Decisions 0154, 0157.
 */
@Tagged(value = "link", unknown = ErrorCode.UNKNOWN_ACTION)
public sealed interface LinkPurpose {
    int PORT_MAX = 65_535;

    /**
     * The link that the connection goes over, if it is one that may be lost without a word: a greater epoch ends the
     * connections of smaller ones. Null is never ended, and ends none.
     */
    @Nullable
    Long epoch();

    /** Requests, as {@link ControlCall}, and their answers. */
    record Control(@Range @Nullable Long epoch) implements LinkPurpose {
        public Control() {
            this(null);
        }
    }

    /**
     * The frames of a worker; the gateway's lines are {@link WorkerLine}.
     *
     * @param resume the sequence number of the next frame wanted
     */
    record Worker(
            String spawnId,
            @Range(min = 1) long resume,
            @Range @Nullable Long epoch) implements LinkPurpose {
        public Worker {
            requireSpawnId(spawnId);
            if (resume == 0) {
                throw BrigException.invalid("resume", "is missing");
            }
        }

        public Worker(String spawnId, long resume) {
            this(spawnId, resume, null);
        }
    }

    /**
     * A connection to a server of an agent; the answer is a {@link PortAnswer}, then bytes flow both ways.
     *
     * @param port of a server on 127.0.0.1 inside the agent's wall
     */
    record Port(
            String spawnId,
            @Range(min = 1, max = PORT_MAX) int port,
            @Range @Nullable Long epoch) implements LinkPurpose {
        public Port {
            requireSpawnId(spawnId);
            if (port == 0) {
                throw BrigException.invalid("port", "is missing");
            }
        }

        public Port(String spawnId, int port) {
            this(spawnId, port, null);
        }
    }

    /**
     * A shell on the host of a worker's tunnel; the answer is a {@link PortAnswer}, then each side sends {@link
     * brig.protocol.wire.ShellMessage}s.
     */
    record Shell(
            String spawnId,
            @Flat CallerTerminal terminal,
            @Range @Nullable Long epoch) implements LinkPurpose {
        public Shell {
            requireSpawnId(spawnId);
        }
    }

    /**
     * A connection that waits for one of a wall whose network is served at home. The worker-agent then writes an {@link
     * EgressStream}, the gateway answers with a {@link PortAnswer}, and bytes flow both ways.
     */
    record Egress(@Range @Nullable Long epoch) implements LinkPurpose {}

    /**
     * A connection of a wall on another host, for the brig-egress of this one; the answer is a {@link PortAnswer}, then
     * bytes flow both ways.
     *
     * @param refused why the gateway refuses it, for the audit; null if it does not
     */
    record Granted(@Flat EgressStream stream, @Nullable String refused) implements LinkPurpose {
        /** Home is this host: no link can be lost. */
        @Override
        public @Nullable Long epoch() {
            return null;
        }
    }

    /** The worker-agent writes an {@link EgressHappened} for each event of a network that it serves for other hosts. */
    record EgressEvents() implements LinkPurpose {
        @Override
        public @Nullable Long epoch() {
            return null;
        }
    }

    /** A pack or a patch; the gateway's next line is a {@link TransferRequest}. */
    record Transfer(@Range @Nullable Long epoch) implements LinkPurpose {
        public Transfer() {
            this(null);
        }
    }

    private static void requireSpawnId(String spawnId) {
        if (!Ids.isSpawnId(spawnId)) {
            throw BrigException.invalid("spawn_id", "is none");
        }
    }
}

package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Done;
import brig.protocol.control.TransferAnswer;
import brig.protocol.control.TransferRequest;
import brig.protocol.json.Json;
import brig.workeragent.handover.HandedOver;
import brig.workeragent.handover.Handover;
import brig.workeragent.handover.Handovers;
import brig.workeragent.relay.Lines;
import brig.workeragent.worker.Timers;
import brig.workeragent.worker.Workers;
import brig.workeragent.workspace.Lending;
import brig.workeragent.workspace.MadeWorkspaces;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves one pack, one patch or one handover. All git is done before the first byte is sent, or after the last one came, so a slow link
 * takes nothing of a tool wall's time. The virtual thread that runs this does everything.
 *
 * <p>Decisions 0164, 0169.
 */
final class TransferConnection {
    private static final Logger LOG = LoggerFactory.getLogger(TransferConnection.class);
    private static final int READ_BYTES = 64 * 1024;
    /** A gateway that takes that long to say what became of a patch is gone. */
    private static final long SETTLED_MS = 600_000;

    private static final long REFUSED_MS = 10_000;

    private final SocketChannel channel;
    private final Timers timers;
    private final Workers workers;
    private final MadeWorkspaces made;
    private final Handovers handovers;
    private final InputStream in;

    /** @param before what came after the first line */
    TransferConnection(
            SocketChannel channel,
            ByteBuffer before,
            Timers timers,
            Workers workers,
            MadeWorkspaces made,
            Handovers handovers) {
        this.channel = channel;
        this.timers = timers;
        this.workers = workers;
        this.made = made;
        this.handovers = handovers;
        this.in = new BufferedInputStream(new Incoming(channel, before), READ_BYTES);
    }

    void run() throws IOException {
        try {
            switch (read(TransferRequest.class)) {
                case TransferRequest.Lend lend -> lend(lend);
                case TransferRequest.Receive receive -> {
                    made.mirrors().receive(receive, in);
                    answer(new Done());
                }
                case TransferRequest.Changes changes -> {
                    made.carry(changes.spawnId(), this::send);
                    answer(new Done());
                }
                case TransferRequest.HandOver asked -> {
                    byte[] handover = handovers.give(asked);
                    answer(new TransferRequest.Outgoing(handover.length));
                    Lines.write(channel, ByteBuffer.wrap(handover));
                }
                case TransferRequest.TakeOver taken -> {
                    takeOver(taken);
                    answer(new Done());
                }
                case TransferRequest.Keep keep -> {
                    made.lending().keep(keep, in);
                    answer(new Done());
                }
                case TransferRequest.Apply apply ->
                    answer(made.lending().apply(apply, ControlOperations.globs(apply.allow()), in));
            }
        } catch (BrigException e) {
            refuse(e);
        } catch (RuntimeException e) {
            LOG.error("a transfer failed", e);
            refuse(new BrigException(ErrorCode.INTERNAL, "internal error; see the worker-agent's log"));
        }
    }

    private void takeOver(TransferRequest.TakeOver taken) throws IOException {
        HandedOver handed = workers.handed();
        if (taken.bytes() == 0) {
            handed.end(taken.spawnId());
            return;
        }
        byte[] bytes = in.readNBytes((int) taken.bytes());
        if (bytes.length < taken.bytes()) {
            throw new IOException("the gateway went");
        }
        try {
            handed.take(taken.spawnId(), Json.read(bytes, Handover.class));
        } catch (BrigException e) {
            handed.refuse(taken.spawnId(), e);
            throw e;
        }
    }

    /** A gateway that still sends reads the refusal only if its bytes are taken. */
    private void refuse(BrigException why) throws IOException {
        write(TransferAnswer.refused(why));
        channel.shutdownOutput();
        Timers.Timer deadline = timers.schedule(REFUSED_MS, () -> Lines.close(channel));
        try {
            in.transferTo(OutputStream.nullOutputStream());
        } finally {
            deadline.cancel();
        }
    }

    private void lend(TransferRequest.Lend asked) throws IOException {
        try (Lending.Loan loan = workers.lend(asked.request(), asked.asker(), asked.have())) {
            answer(loan.lent());
            write(loan.pack());
        }
    }

    /** Sends a patch. @return whether the repository has it now; if the gateway does not say, it has not */
    private boolean send(Path patch) throws IOException {
        answer(new TransferRequest.Outgoing(Files.size(patch)));
        write(patch);
        Timers.Timer deadline = timers.schedule(SETTLED_MS, () -> Lines.close(channel));
        try {
            return read(TransferRequest.Settled.class).applied();
        } finally {
            deadline.cancel();
        }
    }

    private <T> T read(Class<T> type) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(1024);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the gateway went");
            }
            if (line.size() == TransferRequest.LINE_BYTES_MAX) {
                throw new BrigException(ErrorCode.LINE_TOO_LONG, "the line is too long");
            }
            line.write(next);
        }
        return Json.read(line.toByteArray(), type);
    }

    /** The bytes that came already, then those of the channel. Unlike the JDK's it waits for no more than it has. */
    private static final class Incoming extends InputStream {
        private final SocketChannel channel;
        private final ByteBuffer before;

        Incoming(SocketChannel channel, ByteBuffer before) {
            this.channel = channel;
            this.before = before;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (!before.hasRemaining()) {
                return channel.read(ByteBuffer.wrap(bytes, offset, length));
            }
            int count = Math.min(length, before.remaining());
            before.get(bytes, offset, count);
            return count;
        }
    }

    private void answer(Record ok) throws IOException {
        write(TransferAnswer.of(ok));
    }

    private void write(TransferAnswer line) throws IOException {
        Lines.write(channel, ByteBuffer.wrap(Json.writeLine(line)));
    }

    private void write(Path file) throws IOException {
        try (FileChannel bytes = FileChannel.open(file)) {
            long size = bytes.size();
            for (long at = 0; at < size; ) {
                at += bytes.transferTo(at, size - at, channel);
            }
        }
    }
}

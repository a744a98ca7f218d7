package brig.egress.process;

import brig.egress.budget.LedgerFile;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file of the host that brig-egress was given a descriptor of. Not thread-safe. */
final class DescriptorFile implements LedgerFile {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorFile.class);
    private static final int BUFFER_BYTES = 64 * 1024;

    private final FileDescriptor file;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

    DescriptorFile(int descriptor) {
        this.file = new FileDescriptor(descriptor);
    }

    @Override
    public void write(byte[] bytes) throws IOException {
        for (int at = 0; at < bytes.length; ) {
            int length = Math.min(BUFFER_BYTES, bytes.length - at);
            buffer.clear().put(bytes, at, length);
            int written = file.write(buffer, 0, length);
            if (written <= 0) {
                throw new IOException("nothing was written");
            }
            at += written;
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("a ledger cannot be closed: {}", e.toString());
        }
    }
}

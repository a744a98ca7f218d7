package brig.workeragent.image.unpack;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Ends an unpacked layer that goes on and on, whatever is in it. */
final class BoundedStream extends FilterInputStream {
    private long left;

    BoundedStream(InputStream in, long bytesMax) {
        super(in);
        left = bytesMax;
    }

    @Override
    public int read() throws IOException {
        int next = super.read();
        count(next < 0 ? 0 : 1);
        return next;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int count = super.read(buffer, offset, length);
        count(Math.max(0, count));
        return count;
    }

    /** Reads, as the streams below would otherwise skip uncounted. */
    @Override
    public long skip(long count) throws IOException {
        byte[] skipped = new byte[(int) Math.min(Math.max(0, count), 8192)];
        return Math.max(0, read(skipped, 0, skipped.length));
    }

    private void count(long bytes) throws IOException {
        left -= bytes;
        if (left < 0) {
            throw new UnusableImageException(
                    "a layer is larger than all that an image may take; the bounds are worker.images.bytesMax"
                            + " and worker.images.filesMax");
        }
    }
}

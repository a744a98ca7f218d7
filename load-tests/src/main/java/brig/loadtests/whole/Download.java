package brig.loadtests.whole;

import brig.loadtests.product.HttpWire;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A client that loads a large file from an agent's server, through the gateway, again and again. */
final class Download implements Disturbance.Client {
    static final long FILE_BYTES = 1L << 30;
    private static final int READ_BYTES = 64 * 1024;

    private final HttpWire wire;
    private final byte[] request;
    private final AtomicLong loadedBytes = new AtomicLong();
    private volatile @Nullable IOException failure;
    private volatile boolean closed;

    private Download(HttpWire wire, byte[] request) {
        this.wire = wire;
        this.request = request;
    }

    static Download start(HttpWire.Place place, String session, int port) throws IOException {
        String path = "/api/v1/sessions/" + session + "/ports/" + port + "/file";
        Download download = new Download(place.connect(), place.request("GET", path, ""));
        Thread.ofPlatform().daemon().start(download::run);
        return download;
    }

    private void run() {
        byte[] bytes = new byte[READ_BYTES];
        try {
            while (true) {
                InputStream body = wire.send(request).stream().input();
                for (long rest = FILE_BYTES; rest > 0; ) {
                    int count = body.read(bytes, 0, (int) Math.min(rest, bytes.length));
                    if (count < 0) {
                        throw new IOException("the download broke off");
                    }
                    rest -= count;
                    loadedBytes.addAndGet(count);
                }
            }
        } catch (IOException e) {
            failure = closed ? null : e;
        }
    }

    @Override
    public long readBytes() throws IOException {
        IOException why = failure;
        if (why != null) {
            throw new IOException("the download failed", why);
        }
        return loadedBytes.get();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        wire.close();
    }
}

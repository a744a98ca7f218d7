package brig.workeragent.tunnel.files;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files and folders that are open. The client gets numbers that are never used again, so a closed handle does not
 * name the next file. Not thread-safe.
 */
final class OpenHandles {
    private static final int OPEN_MAX = 8192;

    static final class Handle {
        private final byte[] far;
        private final FarPath path;
        private final boolean folder;

        /** @param far the far side's own handle */
        Handle(byte[] far, FarPath path, boolean folder) {
            this.far = far;
            this.path = path;
            this.folder = folder;
        }

        byte[] far() {
            return far;
        }

        FarPath path() {
            return path;
        }

        boolean folder() {
            return folder;
        }
    }

    private final Map<Integer, Handle> open = new HashMap<>();
    private int last;

    boolean isFull() {
        return open.size() >= OPEN_MAX;
    }

    /** @return the handle for the client */
    byte[] add(Handle handle) {
        do {
            last++;
        } while (open.containsKey(last));
        open.put(last, handle);
        return ByteBuffer.allocate(Integer.BYTES).putInt(last).array();
    }

    @Nullable
    Handle get(byte[] handle) {
        return handle.length == Integer.BYTES ? open.get(ByteBuffer.wrap(handle).getInt()) : null;
    }

    @Nullable
    Handle remove(byte[] handle) {
        return handle.length == Integer.BYTES
                ? open.remove(ByteBuffer.wrap(handle).getInt())
                : null;
    }
}

package brig.workeragent.wall;

import brig.protocol.control.Posture;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The root file system of a wall: that of the host, or an unpacked image.
 *
 * @param image the folder of the image; null for the host's files
 * @param shown the image as people name it; null for the host's files
 * @param environment variables that the image wishes for its programs; those of the wall itself and of the agent come first
 * @param layer what the session writes over the image; null for a read-only root
 */
public record Root(
        @Nullable Path image,
        Posture.@Nullable Root shown,
        Map<String, String> environment,
        @Nullable Layer layer) {
    public static final Root HOST = new Root(null, null, Map.of(), null);

    /**
     * Two folders of the workers' user, which one wall at a time may have.
     *
     * @param upper what was written
     * @param work for the kernel
     * @param bytesLeft how much the first may grow during the session; 0 for no limit of its own
     * @param bound names the limit, for the message about a session that reached it
     */
    public record Layer(Path upper, Path work, long bytesLeft, String bound) {}

    /** A copy with such a layer. */
    public Root with(Posture.Root other, Layer over) {
        return new Root(image, other, environment, over);
    }
}

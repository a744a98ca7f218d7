package brig.workeragent.wall;

import brig.protocol.control.Posture;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The root file system of a wall: that of the host, or an unpacked image. Read-only in any case.
 *
 * @param image the folder of the image; null for the host's files
 * @param shown the image as people name it; null for the host's files
 * @param environment variables that the image wishes for its programs; those of the wall itself and of the agent come first
 */
public record Root(@Nullable Path image, Posture.@Nullable Root shown, Map<String, String> environment) {
    public static final Root HOST = new Root(null, null, Map.of());
}

package brig.workeragent.recording;

import brig.protocol.record.Extensible;
import brig.protocol.record.Range;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A line of a cassette: what went through a pipe of the agent, or its end. The first line has none of these fields.
 *
 * @param t milliseconds since the beginning; null in the first line
 * @param pipe {@code stdin}, {@code stdout} or {@code stderr}; null where nothing went through one
 * @param text what went; null where that is no text by itself
 * @param base64 the same as bytes; null where it is text
 * @param exit with which code the agent ended; null before
 */
@Extensible
public record CassetteEntry(
        @Range @Nullable Long t,
        @Nullable String pipe,
        @Nullable String text,
        @Nullable String base64,
        @Range(max = 255) @Nullable Integer exit) {

    /** What went through the pipe. */
    public byte[] bytes() {
        return text != null
                ? text.getBytes(StandardCharsets.UTF_8)
                : Base64.getDecoder().decode(base64 == null ? "" : base64);
    }
}

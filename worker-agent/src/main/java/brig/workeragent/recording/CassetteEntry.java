package brig.workeragent.recording;

import brig.protocol.record.Extensible;
import brig.protocol.record.Range;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A line of a cassette: data of one of the agent's pipes, or its end. The first line has none of these fields.
 *
 * @param t milliseconds since the beginning; null in the first line
 * @param pipe {@code stdin}, {@code stdout} or {@code stderr}; null without data
 * @param text the data; null if it is not valid text
 * @param base64 the data as bytes; null if it is text
 * @param exit the agent's exit code; null before its end
 */
@Extensible
public record CassetteEntry(
        @Range @Nullable Long t,
        @Nullable String pipe,
        @Nullable String text,
        @Nullable String base64,
        @Range(max = 255) @Nullable Integer exit) {

    /** The data. */
    public byte[] bytes() {
        return text != null
                ? text.getBytes(StandardCharsets.UTF_8)
                : Base64.getDecoder().decode(base64 == null ? "" : base64);
    }
}

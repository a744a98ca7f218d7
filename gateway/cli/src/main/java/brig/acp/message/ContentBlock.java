package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/** A piece of a prompt, or of what is shown. */
@Tagged("type")
@Extensible
public sealed interface ContentBlock {
    /** @param text null counts as empty */
    record Text(@Nullable String text) implements ContentBlock {}

    /** A file or page that the agent may read. */
    record ResourceLink(@Nullable String name, @NotEmpty String uri) implements ContentBlock {}

    /** A file with its content. */
    record Resource(Embedded resource) implements ContentBlock {}

    /** A picture, which is not offered. */
    record Image() implements ContentBlock {}

    /** A sound, which is not offered. */
    record Audio() implements ContentBlock {}

    /** @param text null where the content is no text */
    @CamelCase
    @Extensible
    record Embedded(@NotEmpty String uri, @Nullable String text) {}
}

package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/** A part of a prompt or an update. */
@Tagged("type")
@Extensible
public sealed interface ContentBlock {
    /** @param text null counts as empty */
    record Text(@Nullable String text) implements ContentBlock {}

    /** A file or page that the agent may read. */
    record ResourceLink(@Nullable String name, @NotEmpty String uri) implements ContentBlock {}

    /** A file with its content. */
    record Resource(Embedded resource) implements ContentBlock {}

    /** A picture, which is not supported. */
    record Image() implements ContentBlock {}

    /** A sound, which is not supported. */
    record Audio() implements ContentBlock {}

    /** @param text null if the content is not text */
    @CamelCase
    @Extensible
    record Embedded(@NotEmpty String uri, @Nullable String text) {}
}

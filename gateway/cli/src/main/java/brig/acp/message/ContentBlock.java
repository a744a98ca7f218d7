package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/** A piece of a prompt, or of what is shown. */
@Tagged("type")
public sealed interface ContentBlock {
    /** @param text null counts as empty */
    @Extensible
    record Text(@Nullable String text) implements ContentBlock {}

    /** A file or page that the agent may read. */
    @Extensible
    record ResourceLink(@Nullable String name, String uri) implements ContentBlock {
        public ResourceLink {
            EditorRequest.requireText("uri", uri);
        }
    }

    /** A file with its content. */
    @Extensible
    record Resource(Embedded resource) implements ContentBlock {}

    /** A picture, which is not offered. */
    @Extensible
    record Image() implements ContentBlock {}

    /** A sound, which is not offered. */
    @Extensible
    record Audio() implements ContentBlock {}

    /** @param text null where the content is no text */
    @CamelCase
    @Extensible
    record Embedded(String uri, @Nullable String text) {
        public Embedded {
            EditorRequest.requireText("uri", uri);
        }
    }
}

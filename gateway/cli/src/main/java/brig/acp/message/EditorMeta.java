package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/** What an editor that knows Brig says under {@code _meta}. */
@Extensible
public record EditorMeta(@Nullable Wishes brig) {
    /**
     * What it wants of Brig.
     *
     * @param frames each frame as it is
     * @param takeControl the control of the session, for this prompt
     */
    @CamelCase
    @Extensible
    public record Wishes(boolean frames, boolean takeControl) {}

    boolean frames() {
        return brig != null && brig.frames();
    }

    boolean takeControl() {
        return brig != null && brig.takeControl();
    }
}

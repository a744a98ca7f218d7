package brig.acp.message;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/** Settings under {@code _meta} by an editor that knows Brig. */
@Extensible
public record EditorMeta(@Nullable Wishes brig) {
    /**
     * The settings.
     *
     * @param frames whether to send complete frames
     * @param takeControl whether to take control of the session for this prompt
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

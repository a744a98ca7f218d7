package brig.gateway.session;

import org.jspecify.annotations.Nullable;

/**
 * What one connection follows: first how it stands, and then what changes. It has what the connection did not take yet, which
 * is bounded whatever happens meanwhile. Owned by the event loop.
 *
 * <p>Decisions 0149, 0191.
 *
 * @param <C> what is told at once: one line or event
 */
public interface Followed<C> {
    /**
     * Begins with how it stands.
     *
     * @param ready run whenever there is something to take
     * @return to be run once, at the end
     */
    Runnable begin(Runnable ready);

    /** Takes what is told next; null if there is nothing now. */
    @Nullable
    C next();

    /** What comes first on a connection, in words. */
    String first();
}

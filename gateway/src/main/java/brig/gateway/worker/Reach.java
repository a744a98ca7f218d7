package brig.gateway.worker;

import org.jspecify.annotations.Nullable;

/** Whether a worker-agent can be reached at all, and by which link. Read on the event loop. */
public interface Reach {
    /** This host: always, and by no link. */
    Reach HERE = new Reach() {
        @Override
        public boolean isUp() {
            return true;
        }

        @Override
        public @Nullable Long epoch() {
            return null;
        }
    };

    /** Whether it makes sense to connect. */
    boolean isUp();

    /** The number of the link, greater for each new one; null for none. First lines carry it. */
    @Nullable
    Long epoch();
}

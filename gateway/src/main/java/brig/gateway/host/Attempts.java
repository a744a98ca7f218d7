package brig.gateway.host;

import brig.gateway.deploy.LinkFailure;

/**
 * When a host is tried again, and how long an attempt waits for its {@code sshd}. A host that is away, or on which sessions live, is
 * tried without end and at least each second or two, so that work shows within two seconds of its return.
 *
 * <p>Decision 0171.
 */
final class Attempts {
    static final long RETRY_MS_MIN = 1_000;
    static final long RETRY_MS_MAX = 30_000;
    /** Where only a person helps: often enough to notice it, and no reason to lock an account. */
    static final long RETRY_PERSON_MS = 300_000;
    /** Between attempts of which the last one took longer than {@link #RETRY_MS_MIN}. */
    static final long PAUSE_MS = 100;
    /** Long enough for a SYN that is sent again after a second, and shorter than what the next one takes. */
    static final int HASTY_CONNECT_S = 2;

    static final int CONNECT_S = 15;
    /** So often an attempt is patient with a host that is there, but slow. */
    static final int PATIENT_EVERY = 6;
    /** What fails more often without a steady link in between is no news. */
    static final int NEWS_MAX = 8;

    private int failures;
    private boolean isSoon;
    private boolean isSlow;
    private int connectS = HASTY_CONNECT_S;
    private long begunMs;

    /** Nobody has logged in there: the first attempt is to succeed. */
    void bePatient() {
        connectS = CONNECT_S;
    }

    void handleBegun(long nowMs) {
        begunMs = nowMs;
    }

    void handleLogin(long nowMs) {
        isSoon = false;
        connectS = Math.clamp(2 * (nowMs - begunMs) / 1_000, HASTY_CONNECT_S, CONNECT_S);
    }

    /** The link held for long. */
    void handleSteady() {
        failures = 0;
    }

    /**
     * The attempt failed, or the link was lost.
     *
     * @param isNeeded whether sessions live on the host
     * @return milliseconds until the next one
     */
    long handleFailed(LinkFailure failure, boolean isNeeded, long nowMs) {
        failures++;
        isSlow = failure.isSlow();
        isSoon = !failure.needsPerson() && (failure.isAway() || isNeeded);
        if (failure.needsPerson()) {
            return RETRY_PERSON_MS;
        }
        return isSoon
                ? Math.clamp(begunMs + RETRY_MS_MIN - nowMs, PAUSE_MS, RETRY_MS_MIN)
                : Math.min(RETRY_MS_MAX, RETRY_MS_MIN << Math.min(failures - 1, 10));
    }

    /** Seconds that the attempt which begins waits for the host. */
    int connectS() {
        return isSlow && failures % PATIENT_EVERY == 1 ? CONNECT_S : connectS;
    }

    /** Whether the next attempt comes so soon that nobody is told of it. */
    boolean isSoon() {
        return isSoon;
    }

    /** Whether what becomes of it belongs into the log. */
    boolean isNews() {
        return failures <= NEWS_MAX;
    }
}

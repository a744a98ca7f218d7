package brig.gateway.deploy;

/**
 * Why a link is not up, for a person.
 *
 * @param mend what the person can do
 * @param needsPerson whether it stays so until somebody has done that; a soon second attempt could only get an account
 *     locked
 * @param isAway whether no login was tried, as the network or the host is away: the next attempt costs nobody anything
 * @param isSlow whether something answers there, but the host's {@code sshd} did not in time: it may need more of it
 */
public record LinkFailure(String reason, String mend, boolean needsPerson, boolean isAway, boolean isSlow) {
    public LinkFailure(String reason, String mend, boolean needsPerson) {
        this(reason, mend, needsPerson, false, false);
    }

    /** A step that took too long. */
    public static LinkFailure late(String step) {
        return new LinkFailure(step + " took too long", "check the host and the network", false);
    }
}

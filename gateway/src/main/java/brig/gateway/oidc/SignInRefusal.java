package brig.gateway.oidc;

import java.util.Locale;

/** A person is not signed in. The message names the cause and the mend, and never a code, a token or a secret. */
public final class SignInRefusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The cause, as the audit has it. */
    public enum Cause {
        /** No sign-in of that browser waits for this answer. */
        STATE(400),
        /** The issuer refused. */
        ISSUER_REFUSED(403),
        /** The issuer is not reached, or its documents cannot be used. */
        ISSUER_UNAVAILABLE(503),
        /** The ID token is not one for this sign-in. */
        ID_TOKEN(403),
        /** The person has no name that can be used here. */
        NAME(403),
        /** No rule gives the person a role. */
        ROLE(403),
        /** The person is signed in too often. */
        SESSIONS(429);

        private final int status;

        Cause(int status) {
            this.status = status;
        }
    }

    private final Cause cause;
    private final String captain;

    SignInRefusal(Cause cause, String message) {
        this(cause, message, "");
    }

    /** @param captain the name of the person; empty while it is not proven */
    public SignInRefusal(Cause cause, String message, String captain) {
        super(message, null, false, false);
        this.cause = cause;
        this.captain = captain;
    }

    static SignInRefusal unavailable(String message) {
        return new SignInRefusal(Cause.ISSUER_UNAVAILABLE, message);
    }

    static SignInRefusal token(String message) {
        return new SignInRefusal(Cause.ID_TOKEN, "The issuer's ID token is refused: " + message);
    }

    /** The cause in the audit. */
    public String reason() {
        return cause.name().toLowerCase(Locale.ROOT);
    }

    public int httpStatus() {
        return cause.status;
    }

    /** The name of the person; empty while it is not proven. */
    public String captain() {
        return captain;
    }
}

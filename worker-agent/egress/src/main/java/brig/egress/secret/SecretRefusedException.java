package brig.egress.secret;

/** A request carries a secret to where it may not go. The message names the secret, never its value. */
public final class SecretRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    SecretRefusedException(String message) {
        super(message, null, false, false);
    }

    /** The message. */
    public String why() {
        return String.valueOf(getMessage());
    }
}

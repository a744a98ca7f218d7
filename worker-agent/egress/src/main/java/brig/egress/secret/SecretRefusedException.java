package brig.egress.secret;

/** A request carries a secret that it must not. The message names the secret, never its value. */
public final class SecretRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public SecretRefusedException(String message) {
        super(message, null, false, false);
    }

    public String why() {
        return String.valueOf(getMessage());
    }
}

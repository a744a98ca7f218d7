package brig.gateway.provider;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;

/** Why a call of a provider failed, and whether it may have had an effect. */
public final class ProviderFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What is to be done about it. */
    public enum Kind {
        /** It will fail again: credentials, quota, a request that the provider does not take. Without effect. */
        REFUSED,
        /** The provider asks to wait. Without effect. */
        LIMITED,
        /** The provider was not reached. Without effect. */
        UNREACHED,
        /** The answer is lost, or says that something broke there. It may have had its effect. */
        LOST,
        /** The address or the certificate is none that may be trusted. Without effect. */
        UNTRUSTED
    }

    private final Kind kind;
    private final long retryAfterMs;

    /** @param retryAfterMs what the provider asks for, 0 for nothing */
    public ProviderFailure(Kind kind, String message, long retryAfterMs) {
        super(message, null, false, false);
        this.kind = kind;
        this.retryAfterMs = retryAfterMs;
    }

    public ProviderFailure(Kind kind, String message) {
        this(kind, message, 0);
    }

    /** What any failure of a call means. */
    public static ProviderFailure of(Throwable failure) {
        Throwable cause = Reason.cause(failure);
        return cause instanceof ProviderFailure known
                ? known
                : new ProviderFailure(Kind.LOST, String.valueOf(cause.getMessage()));
    }

    public Kind kind() {
        return kind;
    }

    public long retryAfterMs() {
        return retryAfterMs;
    }

    /** As a captain is told. */
    public BrigException toException(String provider) {
        String said = "provider " + provider + ": " + getMessage();
        return switch (kind) {
            case REFUSED -> new BrigException(ErrorCode.PROVIDER_REFUSED, said);
            case LIMITED ->
                new BrigException(
                        ErrorCode.PROVIDER_RATE_LIMITED, said, (int) Math.max(1, (retryAfterMs + 999) / 1000));
            case UNREACHED, LOST -> new BrigException(ErrorCode.PROVIDER_UNAVAILABLE, said, 5);
            case UNTRUSTED -> new BrigException(ErrorCode.UNTRUSTED_ENDPOINT, said);
        };
    }
}

package brig.protocol.api;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * How a browser may sign in, besides by a link.
 *
 * @param issuer null if people do not sign in by one
 */
@Extensible
public record SignInWays(@Nullable Issuer issuer) {
    /**
     * An issuer of OpenID Connect.
     *
     * @param label what people call it
     * @param url where a browser begins
     */
    @Extensible
    public record Issuer(String label, String url) {}
}

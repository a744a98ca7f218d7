package brig.protocol.api;

import brig.protocol.Role;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.OmitEmpty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A token without its secret.
 *
 * @param id {@code tok_} and 16 hexadecimal digits
 * @param captain in whose name it acts
 * @param spawnId the only session it opens; null for no such limit
 * @param createdMs milliseconds since 1970
 * @param expiresMs likewise; null for never
 */
@Extensible
public record TokenView(
        String id,
        Role role,
        String captain,
        @Nullable String spawnId,
        long createdMs,
        @Nullable Long expiresMs,
        boolean revoked) {
    /** The tokens visible to the client, oldest first. */
    @Extensible
    public record TokenList(List<TokenView> tokens) {}

    /**
     * A new token.
     *
     * @param token the secret, shown only once
     * @param stream the path of the stream that it opens; null if it is not bound to a session
     */
    @Extensible
    public record Minted(
            @Flat TokenView view, String token, @Nullable String stream) {}

    /**
     * The token of a signed-in browser.
     *
     * @param key the half of the secret that is not in the cookie
     */
    @Extensible
    public record SignedIn(@Flat TokenView view, String key) {}

    /**
     * A link for a browser.
     *
     * @param token the watcher's token in the link; null if the link has a ticket
     * @param expiresSeconds lifetime of the ticket; 0 if the link has a token
     */
    @Extensible
    public record Opened(
            @Flat @Nullable TokenView token,
            @Nullable String stream,
            String url,
            @OmitEmpty long expiresSeconds) {}

    /**
     * A ticket that works once.
     *
     * @param role its effective role
     * @param spawnId the session it is bound to; null for none
     */
    @Extensible
    public record Ticket(
            String ticket,
            Role role,
            long expiresSeconds,
            @Nullable String spawnId) {}
}

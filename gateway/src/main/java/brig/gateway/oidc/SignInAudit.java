package brig.gateway.oidc;

import brig.gateway.auth.Token;
import brig.gateway.telemetry.LogEvents;
import brig.protocol.json.JsonObject;

/** Lines of the log's audit about people who sign in by an issuer. They have ids of tokens, and no secret. */
public final class SignInAudit {
    private SignInAudit() {}

    /** A browser got that token; nothing is logged of one that is no person's. */
    public static void signedIn(Token token) {
        if (Person.isOne(token.captain())) {
            LogEvents.audit("sign_in", of(token).with("role", token.role().wireName()));
        }
    }

    /** A person gave that token back. */
    public static void signedOut(Token token) {
        LogEvents.audit("sign_out", of(token));
    }

    /** A person is not signed in; the name is there once it is proven. */
    public static void refused(SignInRefusal refusal) {
        JsonObject fields = JsonObject.EMPTY.with("reason", refusal.reason());
        LogEvents.audit(
                "sign_in_refused", refusal.captain().isEmpty() ? fields : fields.with("captain", refusal.captain()));
    }

    private static JsonObject of(Token token) {
        return JsonObject.EMPTY.with("captain", token.captain()).with("id", token.id());
    }
}

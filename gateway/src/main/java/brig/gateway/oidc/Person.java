package brig.gateway.oidc;

import brig.gateway.config.Config;
import brig.protocol.Role;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who signed in, and what that person may do here.
 *
 * @param captain {@link #PREFIX} and the name; no other captain's name has a colon but {@code uid:N}
 */
public record Person(String captain, Role role) {
    private static final String PREFIX = "oidc:";

    /** Printable ASCII without spaces, quotes and markup: names stand in logs, lists and keys of limits. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._@+=|~:/-]{0,127}");

    private static final String EMAIL = "email";

    /** Whether a person signed in by an issuer acts in that name. */
    public static boolean isOne(String captain) {
        return captain.startsWith(PREFIX);
    }

    /** @throws SignInRefusal for a person without a usable name, or without a role */
    static Person of(JsonObject claims, Config.Oidc settings) {
        String captain = PREFIX + name(claims, settings.nameClaim());
        requireDomain(claims, settings.allowedDomains(), captain);
        return settings.roles().stream()
                .filter(rule -> fits(claims.value(rule.claim()), rule.value()))
                .findFirst()
                .map(rule -> new Person(captain, rule.role()))
                .orElseThrow(() -> new SignInRefusal(
                        SignInRefusal.Cause.ROLE,
                        captain + " has no role here: none of oidc.roles fits the claims. An operator adds a rule.",
                        captain));
    }

    private static String name(JsonObject claims, String claim) {
        String name = claims.text(claim, "");
        if (!NAME.matcher(name).matches()) {
            throw new SignInRefusal(
                    SignInRefusal.Cause.NAME,
                    "The ID token has no usable name in the claim " + claim + ": a text that matches " + NAME.pattern()
                            + ". An operator sets oidc.nameClaim or oidc.scopes.");
        }
        if (claim.equals(EMAIL)) {
            requireVerified(claims);
        }
        return name;
    }

    /** Anybody can claim any address where the issuer does not vouch for it. Some issuers write a text. */
    private static void requireVerified(JsonObject claims) {
        if (!claims.flag("email_verified") && !"true".equals(claims.text("email_verified"))) {
            throw new SignInRefusal(
                    SignInRefusal.Cause.NAME,
                    "The issuer does not vouch for the address (email_verified). Verify it there, or an operator sets"
                            + " oidc.nameClaim to sub.");
        }
    }

    private static void requireDomain(JsonObject claims, List<String> allowed, String captain) {
        if (allowed.isEmpty()) {
            return;
        }
        requireVerified(claims);
        String email = claims.text(EMAIL, "");
        String domain = email.substring(email.lastIndexOf('@') + 1).toLowerCase(Locale.ROOT);
        if (email.indexOf('@') < 1 || !allowed.contains(domain)) {
            throw new SignInRefusal(
                    SignInRefusal.Cause.NAME,
                    captain + " has no address in oidc.allowedDomains. An operator adds the domain.",
                    captain);
        }
    }

    /** Whether a claim is that value, or a list with it. */
    private static boolean fits(@Nullable Object claim, String value) {
        return switch (claim) {
            case String text -> text.equals(value);
            case List<?> list -> list.contains(value);
            case Boolean flag -> flag.toString().equals(value);
            case null, default -> false;
        };
    }
}

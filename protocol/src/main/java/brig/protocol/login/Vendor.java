package brig.protocol.login;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.login.Login.Tokens;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Vendors whose programs sign a person in. The files are those of Claude Code 2.1.330 ({@code ~/.claude/.credentials.json})
 * and of Codex 0.169.0 ({@code ~/.codex/auth.json}); so are the addresses.
 */
public enum Vendor {
    ANTHROPIC(
            "https://api.anthropic.com",
            "https://platform.claude.com/v1/oauth/token",
            "9d1c250a-e61b-44d9-88ed-5944d1962f5e",
            "user:inference user:profile") {
        @Override
        @Nullable
        Tokens tokens(JsonObject file) {
            JsonObject login = file.object("claudeAiOauth");
            String access = login.text("accessToken");
            return access == null ? null : new Tokens(access, login.text("refreshToken"), login.number("expiresAt", 0));
        }

        @Override
        JsonObject with(JsonObject file, Tokens fresh, Instant now) {
            return file.with(
                    "claudeAiOauth",
                    file.object("claudeAiOauth")
                            .with("accessToken", fresh.accessToken())
                            .with("refreshToken", fresh.refreshToken())
                            .with("expiresAt", fresh.expiresAtMs()));
        }
    },
    OPENAI(
            "https://chatgpt.com/backend-api/codex",
            "https://auth.openai.com/oauth/token",
            "app_EMoamEEZ73f0CkXaXp7hrann",
            "openid profile email") {
        @Override
        @Nullable
        Tokens tokens(JsonObject file) {
            JsonObject login = file.object("tokens");
            String access = login.text("access_token");
            return access == null ? null : new Tokens(access, login.text("refresh_token"), endOf(access));
        }

        @Override
        JsonObject with(JsonObject file, Tokens fresh, Instant now) {
            return file.with(
                            "tokens",
                            file.object("tokens")
                                    .with("access_token", fresh.accessToken())
                                    .with("refresh_token", fresh.refreshToken()))
                    .with("last_refresh", now.toString());
        }
    },
    /** Vertex AI. What renews its tokens is the file of a service account, which stays as it is. */
    GOOGLE("https://aiplatform.googleapis.com/v1", "https://oauth2.googleapis.com/token", "", "") {
        @Override
        public Renewal renewal(String account, Instant now) throws IOException {
            return new Renewal(
                    "application/x-www-form-urlencoded",
                    ServiceAccount.read(account).renewal(now));
        }

        @Override
        @Nullable
        Tokens tokens(JsonObject file) {
            return null;
        }

        @Override
        JsonObject with(JsonObject file, Tokens fresh, Instant now) {
            return file;
        }
    };

    /** A request for new tokens. */
    public record Renewal(String contentType, String body) {
        @Override
        public String toString() {
            return "Renewal[" + contentType + "]";
        }
    }

    private final String baseUrl;
    private final String tokenUrl;
    private final String clientId;
    private final String scope;

    Vendor(String baseUrl, String tokenUrl, String clientId, String scope) {
        this.baseUrl = baseUrl;
        this.tokenUrl = tokenUrl;
        this.clientId = clientId;
        this.scope = scope;
    }

    /** Where its models answer to a login. */
    public String baseUrl() {
        return baseUrl;
    }

    /** Where it renews tokens. */
    public String tokenUrl() {
        return tokenUrl;
    }

    /**
     * A request for new tokens (RFC 6749, section 6, in JSON as the vendors' programs send it).
     *
     * @throws IOException if none can be made, without saying what the token is
     */
    public Renewal renewal(String refreshToken, Instant now) throws IOException {
        byte[] body = Json.write(JsonObject.of(Map.of(
                "grant_type", "refresh_token",
                "refresh_token", refreshToken,
                "client_id", clientId,
                "scope", scope)));
        return new Renewal("application/json", new String(body, StandardCharsets.UTF_8));
    }

    /** The tokens in its own file; null if it has none. */
    public @Nullable Tokens read(Path file) throws IOException {
        return tokens(Login.readObject(file));
    }

    /** Replaces tokens in its own file, if the file still has those, and is a file of its own and no link. */
    public void replace(Path file, Tokens old, Tokens fresh, Instant now) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        JsonObject content = Login.readObject(file);
        Tokens there = tokens(content);
        if (there != null && old.accessToken().equals(there.accessToken())) {
            Login.writeDurably(file, Json.write(with(content, fresh, now)));
        }
    }

    abstract @Nullable Tokens tokens(JsonObject file);

    abstract JsonObject with(JsonObject file, Tokens fresh, Instant now);

    /** The end of a JSON Web Token (RFC 7519), in milliseconds since 1970; 0 if it has none. */
    public static long endOf(String token) {
        String[] parts = token.split("\\.", -1);
        if (parts.length != 3) {
            return 0;
        }
        try {
            byte[] claims = Base64.getUrlDecoder().decode(parts[1].getBytes(StandardCharsets.US_ASCII));
            long seconds = JsonObject.read(claims).number("exp", 0);
            return seconds > 0 && seconds < Long.MAX_VALUE / 1000 ? seconds * 1000 : 0;
        } catch (RuntimeException notOne) {
            return 0;
        }
    }
}

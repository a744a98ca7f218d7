package brig.gateway.oidc;

import brig.gateway.auth.Token;
import brig.gateway.config.Config;
import brig.gateway.time.Clock;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The issuer whose people have names in this gateway. A file keeps which one that is: a person of another one would have the
 * sessions, homes and budgets of whoever has the same name.
 *
 * <p>Decision 0216.
 */
public final class PeopleOfIssuer {
    private final Config.Oidc settings;
    private final boolean knownBefore;

    /** @throws BrigException if the people here are those of another issuer, with the remedy */
    public PeopleOfIssuer(Config.Oidc settings, Path file) {
        this.settings = settings;
        this.knownBefore = !settings.issuer().isEmpty() && isSame(settings.issuer(), file);
    }

    private static boolean isSame(String issuer, Path file) {
        try {
            if (!Files.exists(file)) {
                WholeFile.write(file, (issuer + "\n").getBytes(StandardCharsets.UTF_8));
                return false;
            }
            String known = Files.readString(file).strip();
            if (!known.equals(issuer)) {
                throw new BrigException(
                        ErrorCode.INVALID_FIELD,
                        "the captains oidc:… of this gateway are people of " + known + ", and oidc.issuer is " + issuer
                                + ": set it back, or delete " + file
                                + ", and whoever has the same name there gets what is theirs");
            }
            return true;
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot read or write " + file + ": " + Reason.of(e));
        }
    }

    /** The tokens without those of people that this issuer did not sign in. */
    public List<Token> counting(List<Token> tokens) {
        return knownBefore
                ? tokens
                : tokens.stream()
                        .filter(token -> !Person.isOne(token.captain()))
                        .toList();
    }

    /**
     * Null if people do not sign in by an issuer.
     *
     * @param secrets reads the client's secret, or refuses
     * @param sealKeys as for {@link SignIns}
     */
    public @Nullable SignIns signIns(
            Function<Path, String> secrets, List<byte[]> sealKeys, Fetch fetch, Supplier<String> gateway, Clock clock) {
        if (settings.issuer().isEmpty()) {
            return null;
        }
        String secret =
                settings.clientSecretFile().isEmpty() ? "" : secrets.apply(Path.of(settings.clientSecretFile()));
        return new SignIns(settings, secret, sealKeys, gateway, fetch, clock);
    }
}

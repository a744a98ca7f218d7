package brig.gateway.e2e;

import io.nats.client.NKey;
import io.nats.client.support.JsonSerializable;
import io.nats.client.support.JwtUtils;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;

/** An operator of NATS with an account for Brig and a system account, made for one test, as {@code nsc} makes them. */
final class NatsOperator {
    private static final String LIMITS = """
            "limits":{"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":true,"conn":-1,"leaf":-1%s}""";
    private static final String JETSTREAM = ",\"mem_storage\":-1,\"disk_storage\":-1,\"streams\":-1,\"consumer\":-1";

    private final SecureRandom random = new SecureRandom();
    private final NKey operator = NKey.createOperator(random);
    private final NKey brig = NKey.createAccount(random);
    private final NKey system = NKey.createAccount(random);

    NatsOperator() throws IOException, GeneralSecurityException {}

    private static String name(NKey key) throws IOException, GeneralSecurityException {
        return new String(key.getPublicKey());
    }

    private String signed(NKey of, String type, String claims) throws IOException, GeneralSecurityException {
        JsonSerializable json = () -> "{" + claims + ",\"type\":\"" + type + "\",\"version\":2}";
        return JwtUtils.issueJWT(operator, name(of), type, null, JwtUtils.currentTimeSeconds(), name(operator), json);
    }

    /** Lines for the configuration of a server. */
    String config() throws IOException, GeneralSecurityException {
        return """
                operator: %s
                system_account: %s
                resolver: MEMORY
                resolver_preload: {
                  %s: %s
                  %s: %s
                }
                """.formatted(
                        signed(operator, "operator", "\"system_account\":\"" + name(system) + "\""),
                        name(system),
                        name(system),
                        signed(system, "account", LIMITS.formatted("")),
                        name(brig),
                        signed(brig, "account", LIMITS.formatted(JETSTREAM)));
    }

    /** A file of credentials for a new user in the account of Brig. */
    String user() throws IOException, GeneralSecurityException {
        return credentials(brig);
    }

    /** The same in the system account. */
    String systemUser() throws IOException, GeneralSecurityException {
        return credentials(system);
    }

    private String credentials(NKey account) throws IOException, GeneralSecurityException {
        NKey user = NKey.createUser(random);
        return JwtUtils.NATS_USER_JWT_FORMAT.formatted(
                JwtUtils.issueUserJWT(account, name(account), name(user)), new String(user.getSeed()));
    }
}

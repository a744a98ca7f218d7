package brig.cli;

import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.api.TokenView;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig token}: the admin token, and tokens minted for others. */
@Command(
        name = "token",
        description = "Print the admin token for HTTP, or create, list and revoke tokens for others.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  curl -H \"Authorization: Bearer $(brig token)\" http://127.0.0.1:7070/api/v1/sessions",
            "  brig token create --session build                 a watcher's token for one session and a day",
            "  brig token create --role captain --captain ci --expires 30d",
            "  brig token revoke tok_0123456789abcdef            revoke a token and close its connections",
            "  brig token revoke admin; brig token               replace an admin token that has leaked"
        })
final class TokenCommand implements Callable<Integer> {
    private static final Pattern AGE = Pattern.compile("(\\d{1,6})([smhd])");

    private record AdminToken(String token) {}

    @ParentCommand
    private Main main = new Main();

    @Override
    public Integer call() {
        Paths paths = main.context().paths();
        try {
            String token = Files.readString(paths.adminToken(), StandardCharsets.US_ASCII)
                    .strip();
            if (main.json()) {
                main.terminal().json(new AdminToken(token));
            } else {
                main.terminal().println(token);
            }
            return 0;
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.NOT_FOUND,
                    "cannot read " + paths.adminToken() + ": the first '"
                            + main.context().command("serve") + "' makes it");
        }
    }

    @Command(description = "Create a token and print it. It is shown only once.", mixinStandardHelpOptions = true)
    int create(
            @Option(names = "--role", defaultValue = "watcher", description = "admin, captain, approver or watcher.")
                    String role,
            @Option(
                            names = "--session",
                            paramLabel = "ID",
                            description = "The only session that the token is valid for.")
                    @Nullable
                    String session,
            @Option(names = "--captain", paramLabel = "NAME", description = "The captain in whose name it acts.")
                    @Nullable
                    String captain,
            @Option(
                            names = "--expires",
                            paramLabel = "AGE",
                            defaultValue = "24h",
                            description = "The lifetime: 90s, 15m, 24h, 30d.")
                    String expires) {
        SpawnerRequest.MintToken request =
                new SpawnerRequest.MintToken(roleOf(role), captain, session, seconds("--expires", expires));
        main.show(request, TokenView.Minted.class, minted -> {
            main.terminal().println(minted.token());
            main.terminal()
                    .note("revoke it with: " + main.context().command("token revoke") + " "
                            + minted.view().id());
        });
        return 0;
    }

    private static Role roleOf(String name) {
        return Arrays.stream(Role.values())
                .filter(role -> role.wireName().equals(name))
                .findFirst()
                .orElseThrow(() -> BrigException.invalid("--role", "must be admin, captain, approver or watcher"));
    }

    /** An age such as {@code 15m}. @throws brig.protocol.BrigException naming the option */
    static long seconds(String option, String age) {
        Matcher parts = AGE.matcher(age);
        if (!parts.matches()) {
            throw BrigException.invalid(option, "must be a number with s, m, h or d");
        }
        long unit = switch (parts.group(2)) {
            case "s" -> 1;
            case "m" -> 60;
            case "h" -> 3_600;
            default -> 86_400;
        };
        return Long.parseLong(parts.group(1)) * unit;
    }

    @Command(description = "List tokens that have not expired.", mixinStandardHelpOptions = true)
    int list(
            @Option(names = "--session", paramLabel = "ID", description = "Only tokens of this session.") @Nullable
                    String session) {
        main.show(
                new SpawnerRequest.Tokens(session),
                TokenView.TokenList.class,
                answer -> main.terminal()
                        .table(
                                List.of("TOKEN", "ROLE", "CAPTAIN", "SESSION", "EXPIRES", "REVOKED"),
                                answer.tokens().stream()
                                        .map(token -> List.of(
                                                token.id(),
                                                token.role().wireName(),
                                                token.captain(),
                                                token.spawnId() == null ? "all" : token.spawnId(),
                                                expiry(token),
                                                token.revoked() ? "yes" : ""))
                                        .toList()));
        return 0;
    }

    private static String expiry(TokenView token) {
        return token.expiresMs() == null
                ? "with its session"
                : Instant.ofEpochMilli(token.expiresMs()).toString();
    }

    @Command(description = "Revoke tokens and close their connections.", mixinStandardHelpOptions = true)
    int revoke(
            @Parameters(
                            paramLabel = "TOKEN",
                            arity = "1..*",
                            description = "A token id, tok_…, as 'brig token list' shows it; or admin.")
                    List<String> ids) {
        try (GatewayClient client = main.context().connect()) {
            for (String id : ids) {
                JsonObject answer = client.request(new SpawnerRequest.RevokeToken(id, null));
                if (main.json()) {
                    main.terminal().json(answer);
                } else {
                    main.terminal().note("revoked " + id);
                }
            }
        }
        return 0;
    }
}

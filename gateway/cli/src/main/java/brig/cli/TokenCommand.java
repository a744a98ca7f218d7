package brig.cli;

import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Fields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig token}: the admin token, and those that are made for others. */
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

    @ParentCommand
    private Main main = new Main();

    @Override
    public Integer call() {
        Paths paths = main.context().paths();
        try {
            String token = Files.readString(paths.adminToken(), StandardCharsets.US_ASCII)
                    .strip();
            if (main.json()) {
                main.terminal().json(Map.of("token", token));
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
            @Option(names = "--role", defaultValue = "watcher", description = "admin, captain or watcher.") String role,
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
        Map<String, @Nullable Object> request = new LinkedHashMap<>();
        request.put("action", "mint_token");
        request.put("role", role);
        request.put("session", session);
        request.put("captain", captain);
        request.put("expires_seconds", seconds("--expires", expires));
        try (GatewayClient client = main.context().connect()) {
            Fields answer = client.request(request);
            if (main.json()) {
                main.terminal().json(answer.asMap());
            } else {
                main.terminal().println(answer.text("token", ""));
                main.terminal()
                        .note("revoke it with: " + main.context().command("token revoke") + " "
                                + answer.text("id", ""));
            }
        }
        return 0;
    }

    /** An age such as {@code 15m}. @throws brig.protocol.BrigException naming the option */
    static long seconds(String option, String age) {
        Matcher parts = AGE.matcher(age);
        if (!parts.matches()) {
            throw Fields.invalid(option, "must be a number with s, m, h or d");
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
        Map<String, @Nullable Object> request = new LinkedHashMap<>();
        request.put("action", "tokens");
        request.put("session", session);
        try (GatewayClient client = main.context().connect()) {
            Fields answer = client.request(request);
            if (main.json()) {
                main.terminal().json(answer.asMap());
                return 0;
            }
            main.terminal()
                    .table(
                            List.of("TOKEN", "ROLE", "CAPTAIN", "SESSION", "EXPIRES", "REVOKED"),
                            answer.objects("tokens").stream()
                                    .map(token -> List.of(
                                            token.text("id", ""),
                                            token.text("role", ""),
                                            token.text("captain", ""),
                                            token.text("spawn_id", "all"),
                                            expiry(token),
                                            token.flag("revoked") ? "yes" : ""))
                                    .toList());
        }
        return 0;
    }

    private static String expiry(Fields token) {
        long ms = token.number("expires_ms", 0, Long.MAX_VALUE, 0);
        return ms == 0 ? "with its session" : Instant.ofEpochMilli(ms).toString();
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
                Fields answer = client.request(Map.of("action", "revoke_token", "id", id));
                if (main.json()) {
                    main.terminal().json(answer.asMap());
                } else {
                    main.terminal().note("revoked " + id);
                }
            }
        }
        return 0;
    }
}

package brig.gateway.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.gateway.http.Route;
import brig.gateway.http.Who;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** PROTOCOL.md names each operation and who may call it: all of them, and no other. */
class ProtocolTablesTest {
    private static final Path PAGE =
            Path.of(Files.exists(Path.of("docs")) ? "" : "..").resolve("protocol/PROTOCOL.md");
    private static final Pattern ROW =
            Pattern.compile("^\\| ((?:`[^`|]+`(?:, )?)+) \\| (\\w+) \\|.*", Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /** The first two columns of the table with that head, by the names in the first. */
    private static Map<String, String> table(String head) throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(head);
        assertEquals(begin, page.lastIndexOf(head), "there is one such table");
        String table = page.substring(begin, page.indexOf("\n\n", begin));
        Map<String, String> rows = new TreeMap<>();
        long matched = 0;
        Matcher row = ROW.matcher(table);
        while (row.find()) {
            matched++;
            String who = row.group(2);
            CODE.matcher(row.group(1))
                    .results()
                    .map((MatchResult code) -> code.group(1))
                    .forEach(name -> {
                        String[] request = name.split(" ", 2);
                        for (String method : request[0].split(",", -1)) {
                            String key = request.length == 1 ? method : method + " " + request[1];
                            assertNull(rows.put(key, who), key);
                        }
                    });
        }
        assertEquals(table.lines().count() - 2, matched, "each row has names and one word for who may");
        return rows;
    }

    private static String word(Who who) {
        return switch (who) {
            case ANYBODY -> "all";
            case SOMEBODY -> "token";
            case KNOWN -> "role";
            case STARTER -> "starter";
            case WATCHER, WORKSPACE_WATCHER -> "watcher";
            case CAPTAIN, WORKSPACE_CAPTAIN -> "captain";
            case ADMIN -> "admin";
        };
    }

    @Test
    void shouldNameEveryRequestOverHttpAndWhoMaySendIt() throws IOException {
        Map<String, String> routes = new TreeMap<>();
        for (Operation<?, ?> operation : Operations.ALL) {
            Route route = operation.route();
            if (route != null) {
                routes.put(route.method() + " " + route.path(), word(route.who()));
            }
        }
        assertEquals(routes, table("| request | who | answer |"));
    }

    @Test
    void shouldNameEveryActionOfTheSpawnerSocketAndWhoMayAskForIt() throws IOException {
        Map<String, String> actions = new TreeMap<>();
        for (Operation<?, ?> operation : Operations.ALL) {
            Who who = operation.socketWho();
            if (who != null) {
                actions.put(ApiRecordsTest.action(operation.in()), word(who));
            }
        }
        assertEquals(actions, table("| action | who | does | answer |"));
    }
}

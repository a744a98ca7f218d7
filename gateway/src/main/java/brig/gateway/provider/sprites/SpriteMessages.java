package brig.gateway.provider.sprites;

import brig.gateway.provider.Sandbox;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.OmitEmpty;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is said to Sprites, and what Sprites says. */
final class SpriteMessages {
    private SpriteMessages() {}

    record Create(String name, List<String> labels) {}

    record Policy(List<Rule> rules) {}

    record Rule(String domain, String action) {}

    /** The first message of a connection to a port. */
    record Connect(String host, int port) {}

    @Foreign
    record Status(@Nullable String status, @Nullable String error) {}

    @Foreign
    record Exit(@Nullable String type, @Name("exit_code") long exitCode) {}

    @Foreign
    record Sprite(
            @Nullable String name,
            List<String> labels,
            @Name("created_at") @Nullable String createdAt) {
        /** A sprite that is cold or warm runs as soon as it is used, so for Brig each one runs. */
        Sandbox toSandbox(String name) {
            Map<String, String> labelled = new LinkedHashMap<>();
            for (String label : labels) {
                int equals = label.indexOf('=');
                if (equals > 0) {
                    labelled.put(label.substring(0, equals), label.substring(equals + 1));
                }
            }
            return new Sandbox(name, name, Sandbox.State.RUNNING, millis(createdAt), labelled);
        }
    }

    @Foreign
    record Sprites(
            List<Sprite> sprites,
            @Name("has_more") boolean hasMore,

            @Name("next_continuation_token") @OmitEmpty @Nullable
            String next) {}

    /** 0 for what is no time. */
    private static long millis(@Nullable String time) {
        try {
            return time == null ? 0 : OffsetDateTime.parse(time).toInstant().toEpochMilli();
        } catch (DateTimeException e) {
            return 0;
        }
    }
}

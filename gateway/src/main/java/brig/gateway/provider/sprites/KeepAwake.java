package brig.gateway.provider.sprites;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** What keeps a sprite awake, from inside. */
final class KeepAwake {
    private static final String RENEWS = "curl -fsS -m 10 --unix-socket /.sprite/api.sock -X PUT"
            + " -H 'Content-Type: application/json' -d '{\"expire\":\"5m\"}' http://sprite/v1/tasks/brig";

    /** Ends by itself, so that a sprite that was forgotten sleeps in the end. */
    private static final String LOOP = "n=0; while [ $n -lt \"$1\" ]; do " + RENEWS + "; sleep 60; n=$((n+1)); done";

    private static final String STARTS =
            "command -v curl >/dev/null && [ -S /.sprite/api.sock ] || { echo 'no curl, or no socket' >&2; exit 1; };"
                    + " setsid nohup sh -c \"$1\" brig-awake \"$2\" </dev/null >/dev/null 2>&1 &";

    private KeepAwake() {}

    static List<String> command(long lifeMaxMs) {
        long minutes = Math.max(1, TimeUnit.MILLISECONDS.toMinutes(lifeMaxMs));
        return List.of("sh", "-c", STARTS, "sh", LOOP, String.valueOf(minutes));
    }
}

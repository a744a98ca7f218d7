package brig.client;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is asked for. Immutable.
 *
 * <pre>{@code
 * SpawnRequest request = SpawnRequest.of("claude", "Make the tests pass.")
 *         .workspace("/srv/work/shop")
 *         .requestId("8e03978e-40d5-43dd-bc93-6894a57f9324");
 * }</pre>
 */
public final class SpawnRequest {
    private final Map<String, Object> fields;
    private final Map<String, Object> settings;
    private final @Nullable String prompt;

    private SpawnRequest(Map<String, Object> fields, Map<String, Object> settings, @Nullable String prompt) {
        this.fields = fields;
        this.settings = settings;
        this.prompt = prompt;
    }

    /** An agent that waits for its first message. */
    public static SpawnRequest of(String agent) {
        return new SpawnRequest(Map.of("request_id", UUID.randomUUID().toString()), Map.of("name", agent), null);
    }

    /** An agent with its first message. */
    public static SpawnRequest of(String agent, String prompt) {
        return of(agent).prompt(prompt);
    }

    public SpawnRequest prompt(String text) {
        return new SpawnRequest(fields, settings, text);
    }

    /** A UUID: the same request under the same id starts nothing more, and gets the first session. */
    public SpawnRequest requestId(String uuid) {
        return with("request_id", uuid);
    }

    /** The captain's own name for the session. */
    public SpawnRequest taskId(String name) {
        return with("task_id", name);
    }

    public SpawnRequest workspace(String folder) {
        return with("workspace", folder);
    }

    public SpawnRequest policy(String name) {
        return with("policy", name);
    }

    /** The session ends behind its first message. */
    public SpawnRequest once() {
        return with("once", true);
    }

    /**
     * What it and all below it may use up.
     *
     * @param limits as {@code budget} in PROTOCOL.md, section 4.1: {@code usd}, {@code tokens}, {@code wall_ms},
     *     {@code egress_bytes}, {@code spawns} and {@code on_limit}
     */
    public SpawnRequest budget(Map<String, ?> limits) {
        return with("budget", Map.copyOf(limits));
    }

    /** How long to wait for a place where all are taken. */
    public SpawnRequest waitSeconds(int seconds) {
        return with("wait", seconds + "s");
    }

    public SpawnRequest model(String name) {
        return withSetting("model", name);
    }

    public SpawnRequest tools(List<String> names) {
        return withSetting("tools", List.copyOf(names));
    }

    public SpawnRequest systemPrompt(String text) {
        return withSetting("system_prompt", text);
    }

    /** Any other field of {@code spawn} (PROTOCOL.md, section 4.1): texts, numbers, flags, and lists and maps of them. */
    public SpawnRequest with(String field, Object value) {
        return new SpawnRequest(plus(fields, field, value), settings, prompt);
    }

    /** Any other setting of the agent. */
    public SpawnRequest withSetting(String name, Object value) {
        return new SpawnRequest(fields, plus(settings, name, value), prompt);
    }

    @Nullable
    String prompt() {
        return prompt;
    }

    int waitSeconds() {
        String wait = String.valueOf(fields.getOrDefault("wait", "0s"));
        return wait.matches("\\d{1,4}s") ? Integer.parseInt(wait.substring(0, wait.length() - 1)) : 0;
    }

    /** The body of the request. */
    Map<String, @Nullable Object> body() {
        Map<String, @Nullable Object> body = new LinkedHashMap<>(fields);
        body.put("agent_config", settings);
        return body;
    }

    private static Map<String, Object> plus(Map<String, Object> map, String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(map);
        more.put(name, value);
        return more;
    }
}

package brig.gateway.e2e.provider;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.gateway.e2e.provider.Call.Answer;
import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What keeps the rules of one sandbox of OpenSandbox for its network, and tells and changes them on a port of its own. The
 * sandbox has no network whatever they are.
 */
final class EgressSidecar {
    static final int PORT = 18080;
    private static final int BYTES_MAX = 64 * 1024;
    static final String HEADER = "OPENSANDBOX-EGRESS-AUTH";

    private final String token;
    private final FakeProvider provider;
    private final String defaultAction;
    private List<JsonObject> rules;

    EgressSidecar(FakeProvider provider, String token, JsonObject policy) {
        this.provider = provider;
        this.token = token;
        defaultAction = policy.text("defaultAction", "deny");
        rules = policy.objects("egress");
    }

    String token() {
        return token;
    }

    synchronized JsonObject policy() {
        return JsonObject.of(Map.of("defaultAction", defaultAction, "egress", rules));
    }

    Answer answer(Call call, InputStream body) {
        if (!token.equals(call.request().getHeader(HEADER))) {
            return provider.refusal(401, "UNAUTHORIZED", "the header " + HEADER + " is missing or wrong");
        }
        try {
            switch (call.method()) {
                case "PATCH" -> patch(list(body.readNBytes(BYTES_MAX)).objects("all"));
                case "DELETE" -> remove(list(body.readNBytes(BYTES_MAX)).texts("all"));
                default -> {}
            }
        } catch (BrigException | IllegalArgumentException | IOException e) {
            return provider.refusal(400, "INVALID_REQUEST", String.valueOf(e.getMessage()));
        }
        return Answer.of(
                200,
                JsonObject.builder()
                        .put("status", "ok")
                        .put("enforcementMode", "dns")
                        .put("policy", policy())
                        .build());
    }

    private static JsonObject list(byte[] body) {
        return JsonObject.read(("{\"all\":" + new String(body, UTF_8) + "}").getBytes(UTF_8));
    }

    /** The new ones come first, and of those with one target the first. */
    private synchronized void patch(List<JsonObject> first) {
        List<JsonObject> merged = new ArrayList<>();
        List<String> targets = new ArrayList<>();
        List<JsonObject> all = new ArrayList<>(first);
        all.addAll(rules);
        for (JsonObject rule : all) {
            String target = rule.text("target", "");
            if (target.isEmpty() || !List.of("allow", "deny").contains(rule.text("action", ""))) {
                throw new IllegalArgumentException("a rule has an action and a target");
            }
            if (!targets.contains(target)) {
                targets.add(target);
                merged.add(rule);
            }
        }
        rules = merged;
    }

    private synchronized void remove(List<String> targets) {
        rules = rules.stream()
                .filter(rule -> !targets.contains(rule.text("target", "")))
                .toList();
    }
}

package brig.egress.budget;

import brig.protocol.BrigException;
import brig.protocol.json.JsonMembers;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The most that a request to a model can come to, read from its body: of Anthropic's messages, of OpenAI's chat
 * completions and responses, and of APIs that are like them.
 *
 * @param model as the request names it
 * @param inputTokens an estimate, from the length
 * @param outputTokens of all answers that it asks for
 */
public record ModelCall(String model, long inputTokens, long outputTokens) {
    private static final int MODEL_LENGTH_MAX = 256;
    private static final String MODEL = "model";
    private static final Pattern IN_PATH = Pattern.compile(
            "/model/([^/]+)/invoke(?:-with-response-stream)?$|/models/([^/:]+):(?:streamR|r)awPredict$");
    private static final List<String> OUTPUT = List.of("max_tokens", "max_completion_tokens", "max_output_tokens");
    private static final List<String> TIMES = List.of("n", "best_of");
    private static final List<String> STORED = List.of("previous_response_id", "conversation");
    private static final Set<String> READ = Set.copyOf(Stream.of(List.of(MODEL), OUTPUT, TIMES, STORED)
            .flatMap(List::stream)
            .toList());

    /** Reads a body. */
    @FunctionalInterface
    public interface Reader {
        /** @return null if nothing names the model */
        @Nullable
        ModelCall read(byte[] body, CallBounds bounds);
    }

    /** Where the body names the model. */
    public static @Nullable ModelCall read(byte[] body, CallBounds bounds) {
        Map<String, Object> members = members(body);
        return members == null ? null : of(members.get(MODEL), members, body, bounds);
    }

    /**
     * Where the path names it, as those of clouds do: {@code /model/ID/invoke} at Bedrock, {@code /models/ID:rawPredict} at
     * Vertex. A body that names one as well might be read by that.
     */
    public static Reader inCloud(String path) {
        Matcher named = IN_PATH.matcher(path);
        String model = !named.find() ? null : decoded(named.group(named.group(1) == null ? 2 : 1));
        return (body, bounds) -> {
            Map<String, Object> members = members(body);
            return members == null || members.containsKey(MODEL) ? null : of(model, members, body, bounds);
        };
    }

    private static @Nullable String decoded(String id) {
        try {
            return URLDecoder.decode(id, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    private static @Nullable Map<String, Object> members(byte[] body) {
        try {
            return JsonMembers.read(body, READ);
        } catch (BrigException notJson) {
            return null;
        }
    }

    private static @Nullable ModelCall of(
            @Nullable Object named, Map<String, Object> members, byte[] body, CallBounds bounds) {
        if (!(named instanceof String model) || model.isEmpty() || model.length() > MODEL_LENGTH_MAX) {
            return null;
        }
        long stored = STORED.stream().anyMatch(members::containsKey) ? bounds.storedTokensMax() : 0;
        long input = (body.length + bounds.bytesPerToken() - 1L) / bounds.bytesPerToken() + stored;
        long each = greatest(members, OUTPUT);
        long times = Math.max(1, greatest(members, TIMES));
        return new ModelCall(
                model, input, Math.min(CallBounds.TOKENS_MAX, (each == 0 ? bounds.outputTokensMax() : each) * times));
    }

    /** The greatest of these numbers; 0 if there is none. One that is no number counts as the greatest possible. */
    private static long greatest(Map<String, Object> members, List<String> names) {
        return names.stream()
                .map(members::get)
                .filter(value -> value != null)
                .mapToLong(value -> value instanceof Long number && number >= 0
                        ? Math.min(number, CallBounds.TOKENS_MAX)
                        : CallBounds.TOKENS_MAX)
                .max()
                .orElse(0);
    }
}

package brig.egress.proxy;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.wire.LineDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads off the answer of a model API how many tokens it took, without holding anything up: from the events of a
 * stream, or from a JSON document. Knows the fields of Anthropic's and OpenAI's interfaces; what it does not
 * understand, or finds too long, it leaves alone.
 *
 * <p>Decision 0125.
 */
final class UsageReader {
    private static final int LINE_BYTES_MAX = 1024 * 1024;
    private static final int DOCUMENT_BYTES_MAX = 1024 * 1024;
    private static final byte[] DATA = "data:".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] USAGE = "\"usage\"".getBytes(StandardCharsets.US_ASCII);
    /** What the interfaces call it, and what it is called in an event. The later ones of a list win. */
    private static final Map<String, List<String>> FIELDS = Map.of(
            "input_tokens", List.of("prompt_tokens", "input_tokens"),
            "output_tokens", List.of("completion_tokens", "output_tokens"),
            "cached_input_tokens", List.of("cached_tokens", "cache_read_input_tokens"),
            "cache_write_input_tokens", List.of("cache_creation_input_tokens"));

    private final String route;
    private final @Nullable String subAgent;
    private final Map<String, Object> tokens = new LinkedHashMap<>();
    private final LineDecoder lines = new LineDecoder(LINE_BYTES_MAX, new LineDecoder.Sink() {
        @Override
        public void handleLine(byte[] bytes, int offset, int length) {
            UsageReader.this.handleLine(bytes, offset, length);
        }

        @Override
        public void handleBadLine(ErrorCode code) {
            // It says nothing about tokens that could be read.
        }
    });
    private String model = "";
    private boolean stream;
    private @Nullable ByteArrayOutputStream document;

    /** @param subAgent whose request it is; null for the agent itself */
    UsageReader(String route, @Nullable String subAgent) {
        this.route = route;
        this.subAgent = subAgent;
    }

    void handleHead(HttpResponse response) {
        String type = response.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
        stream = type.startsWith("text/event-stream");
        document = type.startsWith("application/json") ? new ByteArrayOutputStream() : null;
    }

    void handleBytes(ByteBuf content) {
        if (stream) {
            byte[] bytes = ByteBufUtil.getBytes(content);
            lines.decode(bytes, 0, bytes.length);
        } else if (document != null) {
            document.writeBytes(ByteBufUtil.getBytes(content));
            if (document.size() > DOCUMENT_BYTES_MAX) {
                document = null;
            }
        }
    }

    private void handleLine(byte[] bytes, int offset, int length) {
        if (length > DATA.length && startsWith(bytes, offset, DATA) && contains(bytes, offset, length, USAGE)) {
            read(bytes, offset + DATA.length, length - DATA.length);
        }
    }

    private static boolean startsWith(byte[] bytes, int offset, byte[] start) {
        for (int i = 0; i < start.length; i++) {
            if (bytes[offset + i] != start[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean contains(byte[] bytes, int offset, int length, byte[] piece) {
        for (int at = offset; at <= offset + length - piece.length; at++) {
            if (bytes[at] == piece[0] && startsWith(bytes, at, piece)) {
                return true;
            }
        }
        return false;
    }

    private void read(byte[] bytes, int offset, int length) {
        try {
            take(Json.parseObject(bytes, offset, length));
        } catch (BrigException notJson) {
            // Some other document.
        }
    }

    private void take(Map<?, ?> object) {
        if (object.get("model") instanceof String name && name.length() <= 128) {
            model = name;
        }
        if (object.get("usage") instanceof Map<?, ?> usage) {
            takeUsage(usage);
        }
        for (String inner : List.of("message", "response")) {
            if (object.get(inner) instanceof Map<?, ?> nested) {
                take(nested);
            }
        }
    }

    private void takeUsage(Map<?, ?> usage) {
        FIELDS.forEach((ours, theirs) -> {
            for (String field : theirs) {
                if (usage.get(field) instanceof Long count && count >= 0) {
                    tokens.put(ours, count);
                }
            }
        });
        for (String details : List.of("prompt_tokens_details", "input_tokens_details")) {
            if (usage.get(details) instanceof Map<?, ?> map && map.get("cached_tokens") instanceof Long count) {
                tokens.put("cached_input_tokens", count);
            }
        }
    }

    /** Says what was read, once the answer is there. */
    void tell(WorkerEgress worker, RequestRecord record) {
        if (document != null) {
            byte[] bytes = document.toByteArray();
            read(bytes, 0, bytes.length);
        }
        if (!tokens.isEmpty()) {
            Map<String, Object> fields = new LinkedHashMap<>();
            if (subAgent != null) {
                fields.put("agent_id", subAgent);
            }
            fields.put("route", route);
            fields.put("model", worker.secrets().scrub(model));
            fields.putAll(tokens);
            fields.put("status", record.status());
            worker.handleNoted("usage", fields);
            tokens.clear();
        }
    }
}

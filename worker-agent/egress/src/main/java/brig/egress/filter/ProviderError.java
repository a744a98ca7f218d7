package brig.egress.filter;

import brig.protocol.json.Json;
import brig.protocol.record.WriteNull;
import io.netty.handler.codec.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The form in which a provider of models refuses a request, so that agents show its sentence. */
enum ProviderError {
    ANTHROPIC {
        @Override
        String document(String sentence) {
            return text(new OfAnthropic("error", new OfAnthropic.Content(INVALID, sentence)));
        }

        @Override
        String busy(String sentence) {
            return text(new OfAnthropic("error", new OfAnthropic.Content("rate_limit_error", sentence)));
        }
    },
    OPENAI {
        @Override
        String document(String sentence) {
            return text(new OfOpenAi(new OfOpenAi.Content(sentence, INVALID, null, "budget_used_up")));
        }

        @Override
        String busy(String sentence) {
            return text(new OfOpenAi(new OfOpenAi.Content(sentence, "requests", null, "rate_limit_exceeded")));
        }
    };

    private static final String INVALID = "invalid_request_error";

    record OfAnthropic(String type, OfAnthropic.Content error) {
        record Content(String type, String message) {}
    }

    record OfOpenAi(OfOpenAi.Content error) {
        record Content(
                String message,
                String type,
                @WriteNull @Nullable String param,
                String code) {}
    }

    /** @param path without the query */
    static ProviderError at(HttpRequest request, String path) {
        boolean anthropic = request.headers().contains("anthropic-version") || path.endsWith("/messages");
        return anthropic ? ANTHROPIC : OPENAI;
    }

    /** A request that is not to be sent again. */
    abstract String document(String sentence);

    /** A request that may be sent again later. */
    abstract String busy(String sentence);

    private static String text(Record document) {
        return new String(Json.writeLine(document), StandardCharsets.UTF_8).strip();
    }
}

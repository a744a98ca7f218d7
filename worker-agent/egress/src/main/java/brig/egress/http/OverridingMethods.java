package brig.egress.http;

import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Methods that may override a request's own: frameworks accept them in headers and the query, for clients limited to
 * GET and POST. They would bypass a rule that checks only the request line.
 */
public final class OverridingMethods {
    /** Servers that pass headers as variables treat - and _ alike. */
    private static final Set<String> HEADERS = Set.of(
            "x-http-method-override",
            "x-http-method",
            "x-method-override",
            "x-method",
            "http-method-override",
            "x-original-method");

    private static final Set<String> PARAMETERS = Set.of(
            "-method",
            "-httpmethod",
            "x-http-method-override",
            "x-http-method",
            "http-method",
            "-http-method-override");
    private static final int PARAMETERS_MAX = 65_536;

    private OverridingMethods() {}

    /** The overriding methods in capitals; each must be allowed. */
    public static List<String> of(HttpRequest request, String pathAndQuery) {
        List<String> methods = new ArrayList<>();
        for (Map.Entry<String, String> header : request.headers()) {
            add(methods, HEADERS, header.getKey(), List.of(header.getValue()));
        }
        if (pathAndQuery.indexOf('?') >= 0) {
            parameters(pathAndQuery).forEach((name, values) -> add(methods, PARAMETERS, name, values));
        }
        return methods;
    }

    /** Invalid percent-encoding stays unchanged. */
    private static Map<String, List<String>> parameters(String pathAndQuery) {
        try {
            return QueryStringDecoder.builder()
                    .maxParams(PARAMETERS_MAX)
                    .build(pathAndQuery)
                    .parameters();
        } catch (IllegalArgumentException e) {
            return Map.of("_method", List.of(pathAndQuery));
        }
    }

    private static void add(List<String> methods, Set<String> names, String name, List<String> values) {
        if (names.contains(name.toLowerCase(Locale.ROOT).replace('_', '-'))) {
            for (String value : values) {
                for (String method : value.split(",", -1)) {
                    methods.add(method.strip().toUpperCase(Locale.ROOT));
                }
            }
        }
    }
}

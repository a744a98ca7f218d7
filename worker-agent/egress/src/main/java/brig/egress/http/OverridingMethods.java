package brig.egress.http;

import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Methods that a server may take in the place of a request's own: frameworks read them in headers and in the query, for
 * clients that know GET and POST only. A rule on methods that looked at the request line alone would let them pass.
 */
public final class OverridingMethods {
    /** Servers that hand headers on as variables take - and _ for the same. */
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

    /** In capitals; each must be allowed. */
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

    /** What is no proper encoding stays as it is. */
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

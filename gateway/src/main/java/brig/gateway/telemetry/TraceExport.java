package brig.gateway.telemetry;

import brig.protocol.record.CamelCase;
import brig.protocol.record.OmitEmpty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code ExportTraceServiceRequest} of OTLP 1.x in its JSON form, limited to the fields that Brig uses. */
@CamelCase
record TraceExport(List<ResourceSpans> resourceSpans) {
    /** The spans of one program. */
    @CamelCase
    record ResourceSpans(Resource resource, List<ScopeSpans> scopeSpans) {}

    record Resource(List<Attribute> attributes) {}

    record ScopeSpans(Scope scope, List<Span> spans) {}

    record Scope(String name) {}

    /**
     * A step, or the root that steps belong to.
     *
     * @param parentSpanId null for the root
     * @param kind 1 is internal
     * @param startTimeUnixNano nanoseconds since 1970, as text
     * @param attributes null for a step
     * @param status null for a step
     */
    @CamelCase
    record Span(
            String traceId,
            String spanId,
            @Nullable String parentSpanId,
            String name,
            int kind,
            String startTimeUnixNano,
            String endTimeUnixNano,
            @Nullable List<Attribute> attributes,
            @Nullable Status status) {}

    record Attribute(String key, TextValue value) {
        static Attribute of(String key, String value) {
            return new Attribute(key, new TextValue(value));
        }
    }

    @CamelCase
    record TextValue(String stringValue) {}

    /**
     * The outcome.
     *
     * @param code 2 is an error; 0, which is left out, is none
     */
    record Status(@OmitEmpty int code, @Nullable String message) {
        private static final int ERROR = 2;

        /** @param message null for success */
        static Status of(@Nullable String message) {
            return new Status(message == null ? 0 : ERROR, message);
        }
    }
}

package brig.mcp.message;

import brig.protocol.record.CamelCase;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers to requests for resources. */
public sealed interface ResourcePage {
    /** @param nextCursor null on the last page */
    @CamelCase
    record Resources(List<Resource> resources, @Nullable String nextCursor) implements ResourcePage {}

    /** A resource that can be read. */
    @CamelCase
    record Resource(String uri, String name, String description, String mimeType) {}

    /** The resources of sessions that are not listed. */
    @CamelCase
    record Templates(List<Template> resourceTemplates) implements ResourcePage {}

    /** The form of a URI. */
    @CamelCase
    record Template(String uriTemplate, String name, String description, String mimeType) {}

    /** What was read. */
    record Read(List<Contents> contents) implements ResourcePage {}

    /** The text of a resource. */
    @CamelCase
    record Contents(String uri, String mimeType, String text) {}
}

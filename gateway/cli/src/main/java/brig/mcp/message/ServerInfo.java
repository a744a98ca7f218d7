package brig.mcp.message;

import brig.protocol.record.CamelCase;
import java.util.List;

/** What the server says about itself. */
public sealed interface ServerInfo {
    /** The program. */
    record Implementation(String name, String title, String version) implements ServerInfo {}

    /** What it offers; an empty object means support. */
    record Capabilities(Supported tools, Supported resources) implements ServerInfo {
        public static final Capabilities OFFERED = new Capabilities(new Supported(), new Supported());
    }

    /** A feature without options. */
    record Supported() implements ServerInfo {}

    /** The answer to {@code initialize}. */
    @CamelCase
    record Initialized(
            String protocolVersion, Capabilities capabilities, Implementation serverInfo, String instructions)
            implements ServerInfo {}

    /** The answer to {@code server/discover}. */
    @CamelCase
    record Discovered(List<String> supportedVersions, Capabilities capabilities, String instructions)
            implements ServerInfo {}
}

package brig.acp.message;

import brig.protocol.json.Fields;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.NotEmpty;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a session is to work.
 *
 * @param cwd absolute path of the editor's folder
 * @param additionalDirectories always empty: the wall lets one folder in
 * @param mcpServers what the editor offers the agent besides
 */
@CamelCase
@Extensible
public record SessionFolder(@NotEmpty String cwd, List<String> additionalDirectories, List<McpServer> mcpServers) {
    /** A tool server of the editor. */
    @CamelCase
    @Extensible
    public record McpServer(@Nullable String name) {}

    public SessionFolder {
        if (!cwd.startsWith("/") || cwd.indexOf('\0') >= 0) {
            throw Fields.invalid("cwd", "must be an absolute path");
        }
        if (!additionalDirectories.isEmpty()) {
            throw Fields.invalid("additionalDirectories", "is not offered: the wall lets one folder in");
        }
    }

    /** The folder without anything that leads up in it. */
    public Path path() {
        return Path.of(cwd).normalize();
    }

    /** The names of the tool servers, {@code ?} for one without. */
    public List<String> serverNames() {
        return mcpServers.stream()
                .map(server -> server.name() == null ? "?" : server.name())
                .toList();
    }
}

package brig.acp.message;

import brig.protocol.BrigException;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.NotEmpty;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The folder and tools of a session.
 *
 * @param cwd absolute path of the editor's folder
 * @param additionalDirectories always empty: a wall contains one folder
 * @param mcpServers further tools that the editor offers the agent
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
            throw BrigException.invalid("cwd", "must be an absolute path");
        }
        if (!additionalDirectories.isEmpty()) {
            throw BrigException.invalid("additionalDirectories", "is not offered: the wall lets one folder in");
        }
    }

    /** The normalized folder. */
    public Path path() {
        return Path.of(cwd).normalize();
    }

    /** The names of the tool servers, {@code ?} for an unnamed one. */
    public List<String> serverNames() {
        return mcpServers.stream()
                .map(server -> server.name() == null ? "?" : server.name())
                .toList();
    }
}

package brig.acp.view;

import brig.acp.message.CallFields;
import brig.protocol.json.JsonObject;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Maps paths between the editor and the agent. Agents' paths are untrusted: the editor is never pointed outside of the
 * workspace.
 *
 * <p>Decision 0080.
 *
 * @param folder the editor's folder
 * @param workspace the path of the agent's {@code /workspace} on the host
 */
public record PathMapping(Path folder, Path workspace) {
    private static final String INSIDE = "/workspace";
    private static final String FILE = "file://";
    private static final List<String> NAMES = List.of("file_path", "filePath", "path");

    /** Maps a link of the editor for the agent: one into the editor's folder leads into the workspace. */
    public String inside(String uri) {
        String below = FILE + folder;
        return uri.equals(below) || uri.startsWith(below + "/") ? FILE + INSIDE + uri.substring(below.length()) : uri;
    }

    /** The file of a tool call, on the host; null if it names none in the workspace. */
    @Nullable
    Path file(JsonObject input) {
        for (String name : NAMES) {
            String named = input.text(name, "");
            if (!named.isEmpty()) {
                return onHost(named);
            }
        }
        return null;
    }

    private @Nullable Path onHost(String named) {
        try {
            Path root = Path.of(INSIDE);
            Path inside = root.resolve(named).normalize();
            return inside.startsWith(root) && !inside.equals(root) ? workspace.resolve(root.relativize(inside)) : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** The change requested from an editing tool, for the editor; null if its input does not contain it. */
    CallFields.@Nullable Diff diff(JsonObject input) {
        Path file = file(input);
        String now = first(input, List.of("new_string", "newString", "content"));
        return file == null || now == null
                ? null
                : new CallFields.Diff(file.toString(), first(input, List.of("old_string", "oldString")), now);
    }

    private static @Nullable String first(JsonObject input, List<String> names) {
        return names.stream()
                .map(input::text)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}

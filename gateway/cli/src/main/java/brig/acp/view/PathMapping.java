package brig.acp.view;

import brig.acp.message.CallFields;
import brig.protocol.json.JsonObject;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Files as the editor names them, and as the agent does. What the agent names comes from behind the wall: the editor is
 * pointed to nothing outside of the workspace.
 *
 * <p>Decision 0080.
 *
 * @param folder the editor's
 * @param workspace where the agent's {@code /workspace} is on the host
 */
public record PathMapping(Path folder, Path workspace) {
    private static final String INSIDE = "/workspace";
    private static final String FILE = "file://";
    private static final List<String> NAMES = List.of("file_path", "filePath", "path");

    /** A link of the editor as the agent can follow it: one into the editor's folder leads into the workspace. */
    public String inside(String uri) {
        String below = FILE + folder;
        return uri.equals(below) || uri.startsWith(below + "/") ? FILE + INSIDE + uri.substring(below.length()) : uri;
    }

    /** The file that a tool call is about, on the host; null where it names none in the workspace. */
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

    /** The change that an editing tool was asked for, as an editor shows it; null where its input does not say. */
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

package brig.acp;

import brig.protocol.json.Fields;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
record PathMapping(Path folder, Path workspace) {
    private static final String INSIDE = "/workspace";
    private static final String FILE = "file://";
    private static final List<String> NAMES = List.of("file_path", "filePath", "path");

    /** A link of the editor as the agent can follow it: one into the editor's folder leads into the workspace. */
    String inside(String uri) {
        String below = FILE + folder;
        return uri.equals(below) || uri.startsWith(below + "/") ? FILE + INSIDE + uri.substring(below.length()) : uri;
    }

    /** The file that a tool call is about, on the host; null where it names none in the workspace. */
    @Nullable
    Path file(Fields input) {
        for (String name : NAMES) {
            if (input.asMap().get(name) instanceof String named && !named.isEmpty()) {
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
    @Nullable
    Map<String, ?> diff(Fields input) {
        Path file = file(input);
        String now = first(input, List.of("new_string", "newString", "content"));
        if (file == null || now == null) {
            return null;
        }
        Map<String, Object> diff = new LinkedHashMap<>();
        diff.put("type", "diff");
        diff.put("path", file.toString());
        String before = first(input, List.of("old_string", "oldString"));
        if (before != null) {
            diff.put("oldText", before);
        }
        diff.put("newText", now);
        return diff;
    }

    private static @Nullable String first(Fields input, List<String> names) {
        for (String name : names) {
            if (input.asMap().get(name) instanceof String text) {
                return text;
            }
        }
        return null;
    }
}

package brig.acp.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.acp.message.CallFields;
import brig.protocol.json.JsonObject;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathMappingTest {
    private final PathMapping places = new PathMapping(Path.of("/home/me/shop"), Path.of("/w"));

    @ParameterizedTest
    @ValueSource(strings = {"/etc/passwd", "/workspace/../x", "../x", "/workspace", "/workspacex/a", "a\u0000b"})
    void shouldPointToNothingOutsideOfTheWorkspace(String path) {
        assertNull(places.file(JsonObject.EMPTY.with("file_path", path)));
    }

    @Test
    void shouldPointToFilesOfTheWorkspace() {
        assertEquals(Path.of("/w/a/b"), places.file(JsonObject.EMPTY.with("filePath", "a/./b")));
    }

    @Test
    void shouldTellTheAgentWhereAFileOfTheEditorIs() {
        assertEquals("file:///home/me/shop2/x", places.inside("file:///home/me/shop2/x"));
        assertEquals("file:///workspace", places.inside("file:///home/me/shop"));
        assertEquals("file:///workspace/x", places.inside("file:///home/me/shop/x"));
        assertEquals("https://x.test/", places.inside("https://x.test/"));
    }

    @Test
    void shouldShowTheChangeThatAToolWasAskedFor() {
        JsonObject input = JsonObject.EMPTY.with("file_path", "/workspace/a").with("new_string", "two");
        assertEquals(new CallFields.Diff("/w/a", null, "two"), places.diff(input));
        assertEquals(new CallFields.Diff("/w/a", "one", "two"), places.diff(input.with("old_string", "one")));
        assertNull(places.diff(JsonObject.EMPTY.with("file_path", "/workspace/a")));
    }
}

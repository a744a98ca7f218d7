package brig.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.mcp.message.ToolCall;
import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What models are told of the tools is what the tools take. */
class ToolListTest {
    private static String wire(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private static boolean isRequired(RecordComponent component) {
        return component.getType() != boolean.class
                && component.getAnnotatedType().getAnnotation(Nullable.class) == null;
    }

    private static String typeName(Class<?> tool) {
        return tool == ToolCall.ListAll.class ? "list" : tool.getSimpleName().toLowerCase(Locale.ROOT);
    }

    @Test
    void shouldDescribeTheArgumentsOfEachTool() {
        Set<String> seen = new HashSet<>();
        for (Class<?> type : ToolCall.class.getPermittedSubclasses()) {
            String name = typeName(type);
            JsonObject tool = ToolList.TOOLS.objects("tools").stream()
                    .filter(one -> one.text("name", "").equals(name))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(name + " is not described"));
            JsonObject schema = tool.object("inputSchema");
            assertEquals(
                    Arrays.stream(type.getRecordComponents())
                            .map(ToolListTest::wire)
                            .collect(Collectors.toSet()),
                    schema.object("properties").names(),
                    name);
            assertEquals(
                    Arrays.stream(type.getRecordComponents())
                            .filter(ToolListTest::isRequired)
                            .map(ToolListTest::wire)
                            .collect(Collectors.toSet()),
                    new HashSet<>(schema.texts("required")),
                    name);
            seen.add(name);
            assertThrows(BrigException.class, () -> ToolCall.read(name, JsonObject.EMPTY.with("surprise", 1L)), name);
        }
        assertEquals(seen.size(), ToolList.TOOLS.objects("tools").size());
    }
}

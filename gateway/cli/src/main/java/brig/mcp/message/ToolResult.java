package brig.mcp.message;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.OmitEmpty;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The result of a tool: facts as JSON in the first block, text in the second. There is no {@code structuredContent},
 * for clients show their model either that or the blocks.
 */
@CamelCase
public record ToolResult(List<Block> content, @OmitEmpty boolean isError) {
    private static final String TEXT = "text";

    /** @param type always {@code text} */
    public record Block(String type, String text) {}

    public static ToolResult of(JsonObject facts) {
        return new ToolResult(List.of(block(facts)), false);
    }

    public static ToolResult of(JsonObject facts, String text) {
        return text.isEmpty() ? of(facts) : new ToolResult(List.of(block(facts), new Block(TEXT, text)), false);
    }

    /** A failure that the model is to read. */
    public static ToolResult failed(String why) {
        return new ToolResult(List.of(new Block(TEXT, why)), true);
    }

    private static Block block(JsonObject facts) {
        return new Block(TEXT, new String(Json.write(facts), StandardCharsets.UTF_8));
    }
}

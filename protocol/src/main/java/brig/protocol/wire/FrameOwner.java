package brig.protocol.wire;

import brig.protocol.json.Json;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The type of a frame and the agent it belongs to, read without parsing the rest of the line.
 *
 * @param agent the sub-agent; null for the agent itself or the whole stream
 */
public record FrameOwner(FrameType type, @Nullable String agent) {
    /** Names the agent itself, whose frames have no {@code agent}. */
    public static final String MAIN = "main";

    private static final FrameOwner UNREADABLE = new FrameOwner(FrameType.UNKNOWN, null);

    /** Reads a line with its fields in any order. A line that is not an object has no owner. */
    public static FrameOwner read(byte[] bytes, int offset, int length) {
        try (JsonParser parser = Json.STRICT.createParser(bytes, offset, length)) {
            return parser.nextToken() == JsonToken.START_OBJECT ? read(parser) : UNREADABLE;
        } catch (IOException e) {
            return UNREADABLE;
        }
    }

    /** Whether a subscriber to that agent alone gets it: its own frames, and those about the whole session. */
    public boolean isFor(String wanted) {
        if (agent != null) {
            return agent.equals(wanted);
        }
        return wanted.equals(MAIN)
                || switch (type) {
                    case DONE, ERROR, STATE, ACCEPTED -> true;
                    default -> false;
                };
    }

    private static FrameOwner read(JsonParser parser) throws IOException {
        FrameType type = FrameType.UNKNOWN;
        @Nullable String agent = null;
        @Nullable String subagent = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            boolean isText = parser.nextToken() == JsonToken.VALUE_STRING;
            if (isText && name.equals("type")) {
                type = FrameType.of(parser.getText());
            } else if (isText && name.equals("agent")) {
                agent = parser.getText();
            } else if (isText && name.equals("agent_id")) {
                subagent = parser.getText();
            } else {
                parser.skipChildren();
            }
            if (type != FrameType.UNKNOWN && ownerOf(type, agent, subagent) != null) {
                break;
            }
        }
        return new FrameOwner(type, ownerOf(type, agent, subagent));
    }

    private static @Nullable String ownerOf(FrameType type, @Nullable String agent, @Nullable String subagent) {
        return switch (type) {
            case SUBAGENT -> subagent;
            // Here {@code agent} is the name of the agent's program.
            case SESSION -> null;
            default -> agent;
        };
    }
}

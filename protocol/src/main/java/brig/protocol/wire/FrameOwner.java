package brig.protocol.wire;

import brig.protocol.json.Json;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Whose a frame is, read from its line without the rest of it.
 *
 * @param agent the sub-agent that it is of; null for one of the agent itself, or of the whole stream
 */
public record FrameOwner(FrameType type, @Nullable String agent) {
    /** Stands for the agent itself, whose frames name no agent. */
    public static final String MAIN = "main";

    private static final FrameOwner UNREADABLE = new FrameOwner(FrameType.UNKNOWN, null);

    /** Reads a line, whatever the order of its fields. One that is no object is nobody's. */
    public static FrameOwner read(byte[] bytes, int offset, int length) {
        try (JsonParser parser = Json.STRICT.createParser(bytes, offset, length)) {
            return parser.nextToken() == JsonToken.START_OBJECT ? read(parser) : UNREADABLE;
        } catch (IOException e) {
            return UNREADABLE;
        }
    }

    /** Whether it is for somebody who wants the frames of that agent only: its own, and those that say how the whole fares. */
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
            // There it is the name of the agent's program.
            case SESSION -> null;
            default -> agent;
        };
    }
}

package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The text of a JSON file that people edit: members are added and removed, and everything else stays, including
 * comments and layout.
 *
 * <p>Decision 0075.
 */
final class JsonText implements EditedText {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
            .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
            .build();

    /** The positions of a member's name and of its value's begin and end. */
    private record Member(int nameAt, int valueAt, int end) {}

    /** The begin and end of an object, and its members in order. */
    private static final class Shape {
        private final int from;
        private int end;
        private final Map<String, Member> members = new HashMap<>();
        private final List<Member> inOrder = new ArrayList<>();
        private final Map<String, Shape> objects = new HashMap<>();

        Shape(int from) {
            this.from = from;
        }
    }

    private String text;

    /** @throws BrigException {@code MALFORMED_JSON} if it is not an object */
    JsonText(String text) {
        this.text = text;
        var _ = shape();
    }

    @Override
    public String text() {
        return text;
    }

    /** The text of a member's value; null for none. */
    @Override
    public @Nullable String get(List<String> path) {
        Shape object = objectAt(path.subList(0, path.size() - 1));
        Member member = object == null ? null : object.members.get(path.getLast());
        return member == null ? null : text.substring(member.valueAt, member.end);
    }

    /** Replaces a value, or adds it after the object's last member; missing parent objects are created. */
    @Override
    public void put(List<String> path, String value) {
        for (int i = 1; i < path.size(); i++) {
            if (objectAt(path.subList(0, i)) == null) {
                putMember(path.subList(0, i), "{}");
            }
        }
        putMember(path, value);
    }

    private void putMember(List<String> path, String value) {
        Shape object = objectAt(path.subList(0, path.size() - 1));
        if (object == null) {
            throw new IllegalStateException("no object for " + path);
        }
        String indent = indent(path.size());
        String laid = value.replace("\n", "\n" + indent);
        Member there = object.members.get(path.getLast());
        if (there != null) {
            text = text.substring(0, there.valueAt) + laid + text.substring(there.end);
            return;
        }
        String member = "\n" + indent + '"'
                + new String(JsonStringEncoder.getInstance().quoteAsString(path.getLast())) + "\": " + laid;
        if (object.inOrder.isEmpty()) {
            text = text.substring(0, object.from + 1) + member + "\n" + indent(path.size() - 1)
                    + text.substring(object.from + 1).replaceFirst("^\\s+(?=\\})", "");
        } else {
            int behind = object.inOrder.getLast().end;
            text = text.substring(0, behind) + "," + member + text.substring(behind);
        }
    }

    /** Removes a member with its comma; no effect if it does not exist. */
    @Override
    public void remove(List<String> path) {
        Shape object = objectAt(path.subList(0, path.size() - 1));
        Member member = object == null ? null : object.members.get(path.getLast());
        if (object == null || member == null) {
            return;
        }
        int index = object.inOrder.indexOf(member);
        if (index > 0) {
            text = text.substring(0, object.inOrder.get(index - 1).end) + text.substring(member.end);
        } else if (object.inOrder.size() > 1) {
            text = text.substring(0, member.nameAt) + text.substring(object.inOrder.get(1).nameAt);
        } else {
            text = text.substring(0, object.from + 1) + text.substring(object.end - 1);
        }
    }

    /** Whether an object exists and has no members. */
    @Override
    public boolean isEmpty(List<String> path) {
        Shape object = objectAt(path);
        return object != null && object.inOrder.isEmpty();
    }

    private static String indent(int depth) {
        return "  ".repeat(depth);
    }

    private @Nullable Shape objectAt(List<String> path) {
        Shape object = shape();
        for (String name : path) {
            if (object == null) {
                return null;
            }
            if (object.members.containsKey(name) && !object.objects.containsKey(name)) {
                throw new BrigException(
                        ErrorCode.INVALID_FIELD, "'" + String.join(".", path) + "' is there and is no object");
            }
            object = object.objects.get(name);
        }
        return object;
    }

    private Shape shape() {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new BrigException(ErrorCode.MALFORMED_JSON, "this is no JSON object");
            }
            Shape root = new Shape((int) parser.currentTokenLocation().getCharOffset());
            read(parser, root);
            if (parser.nextToken() != null) {
                throw new BrigException(ErrorCode.MALFORMED_JSON, "something stands behind the JSON object");
            }
            return root;
        } catch (IOException e) {
            throw new BrigException(ErrorCode.MALFORMED_JSON, "this is no JSON: " + e.getMessage());
        }
    }

    private static void read(JsonParser parser, Shape root) throws IOException {
        Deque<Shape> open = new ArrayDeque<>(List.of(root));
        while (!open.isEmpty()) {
            Shape object = open.element();
            if (parser.nextToken() == JsonToken.END_OBJECT) {
                object.end = (int) parser.currentLocation().getCharOffset();
                open.remove();
                closeMember(open.peek(), object);
                continue;
            }
            String name = parser.currentName();
            int nameAt = (int) parser.currentTokenLocation().getCharOffset();
            JsonToken value = parser.nextToken();
            int valueAt = (int) parser.currentTokenLocation().getCharOffset();
            if (value == JsonToken.START_OBJECT) {
                Shape inner = new Shape(valueAt);
                object.objects.put(name, inner);
                add(object, name, new Member(nameAt, valueAt, -1));
                open.push(inner);
                continue;
            }
            parser.skipChildren();
            // The parser reads a text lazily, so finish it first.
            parser.finishToken();
            add(object, name, new Member(nameAt, valueAt, (int)
                    parser.currentLocation().getCharOffset()));
        }
    }

    private static void add(Shape object, String name, Member member) {
        object.members.put(name, member);
        object.inOrder.add(member);
    }

    /** Completes the member whose object has ended. */
    private static void closeMember(@Nullable Shape outer, Shape inner) {
        if (outer != null) {
            Member begun = outer.inOrder.removeLast();
            Member whole = new Member(begun.nameAt, begun.valueAt, inner.end);
            outer.inOrder.add(whole);
            outer.members.entrySet().stream()
                    .filter(entry -> entry.getValue().equals(begun))
                    .forEach(entry -> entry.setValue(whole));
        }
    }
}

package brig.client;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** RFC 8259, strictly, and no deeper than Brig writes. */
final class Json {
    /** Brig nests its own objects around values of agents, which are 32 deep. */
    private static final int DEPTH_MAX = 64;
    /** Digits of 2^53 - 1, with a sign. */
    private static final int DIGITS_MAX = 17;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Exactly one object. @throws BrigException PROTOCOL_VIOLATION */
    static Map<String, @Nullable Object> object(byte[] bytes) {
        try {
            // A decoder of its own reports what is not UTF-8.
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            Json json = new Json(text);
            json.skipSpace();
            if (json.peek() != '{') {
                throw violation();
            }
            Map<String, @Nullable Object> object = json.object(1);
            json.skipSpace();
            if (json.at < text.length()) {
                throw violation();
            }
            return object;
        } catch (CharacterCodingException e) {
            throw new BrigException("PROTOCOL_VIOLATION", "Brig sent a line that is not UTF-8", e);
        }
    }

    private static BrigException violation() {
        return new BrigException("PROTOCOL_VIOLATION", "Brig sent a line that is no JSON object");
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private char next() {
        if (at >= text.length()) {
            throw violation();
        }
        return text.charAt(at++);
    }

    private void skipSpace() {
        while (" \t\r\n".indexOf(peek()) >= 0 && at < text.length()) {
            at++;
        }
    }

    private @Nullable Object value(int depth) {
        if (depth > DEPTH_MAX) {
            throw violation();
        }
        skipSpace();
        return switch (peek()) {
            case '{' -> object(depth + 1);
            case '[' -> list(depth + 1);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object(int depth) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        at++;
        skipSpace();
        if (peek() == '}') {
            at++;
            return object;
        }
        do {
            skipSpace();
            String name = string();
            skipSpace();
            if (next() != ':') {
                throw violation();
            }
            object.put(name, value(depth));
            skipSpace();
        } while (isMore('}'));
        return object;
    }

    private List<@Nullable Object> list(int depth) {
        List<@Nullable Object> list = new ArrayList<>();
        at++;
        skipSpace();
        if (peek() == ']') {
            at++;
            return list;
        }
        do {
            list.add(value(depth));
            skipSpace();
        } while (isMore(']'));
        return list;
    }

    private boolean isMore(char end) {
        char next = next();
        if (next != ',' && next != end) {
            throw violation();
        }
        return next == ',';
    }

    private String string() {
        if (next() != '"') {
            throw violation();
        }
        int begin = at;
        StringBuilder unescaped = null;
        for (char next = next(); next != '"'; next = next()) {
            if (next < ' ') {
                throw violation();
            }
            if (next == '\\') {
                unescaped = unescaped == null ? new StringBuilder() : unescaped;
                unescaped.append(text, begin, at - 1).append(escaped());
                begin = at;
            }
        }
        String rest = text.substring(begin, at - 1);
        return unescaped == null ? rest : unescaped.append(rest).toString();
    }

    private char escaped() {
        char kind = next();
        int plain = "\"\\/bfnrt".indexOf(kind);
        if (plain >= 0) {
            return "\"\\/\b\f\n\r\t".charAt(plain);
        }
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = kind == 'u' ? Character.digit(next(), 16) : -1;
            if (digit < 0) {
                throw violation();
            }
            code = code * 16 + digit;
        }
        return (char) code;
    }

    private @Nullable Object word(String word, @Nullable Object value) {
        if (!text.startsWith(word, at)) {
            throw violation();
        }
        at += word.length();
        return value;
    }

    private Number number() {
        int begin = at;
        if (peek() == '-') {
            at++;
        }
        int first = at;
        boolean isWhole = digits() > 0;
        if (!isWhole || (text.charAt(first) == '0' && at > first + 1)) {
            throw violation();
        }
        if (peek() == '.') {
            at++;
            isWhole = false;
            requireDigits();
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            isWhole = false;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            requireDigits();
        }
        String number = text.substring(begin, at);
        if (isWhole && number.length() > DIGITS_MAX) {
            throw violation();
        }
        return isWhole ? (Number) Long.valueOf(number) : Double.valueOf(number);
    }

    private int digits() {
        int begin = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        return at - begin;
    }

    private void requireDigits() {
        if (digits() == 0) {
            throw violation();
        }
    }

    /** An object, on one line. What is null is left out. */
    static String write(Map<String, ? extends @Nullable Object> object) {
        StringBuilder out = new StringBuilder();
        writeObject(out, object);
        return out.toString();
    }

    private static void writeObject(StringBuilder out, Map<?, ?> object) {
        out.append('{');
        int begin = out.length();
        object.forEach((name, value) -> {
            if (value != null) {
                out.append(out.length() == begin ? "" : ",");
                writeText(out, String.valueOf(name));
                writeValue(out.append(':'), value);
            }
        });
        out.append('}');
    }

    private static void writeValue(StringBuilder out, @Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            writeObject(out, map);
        } else if (value instanceof Iterable<?> list) {
            out.append('[');
            int begin = out.length();
            for (Object one : list) {
                writeValue(out.append(out.length() == begin ? "" : ","), one);
            }
            out.append(']');
        } else if (value instanceof CharSequence text) {
            writeText(out, text);
        } else if (value == null || value instanceof Boolean || isFinite(value)) {
            out.append(value);
        } else {
            throw new BrigException("INVALID_FIELD", value.getClass().getName() + " cannot be sent as JSON");
        }
    }

    private static boolean isFinite(Object value) {
        return value instanceof Number number && Double.isFinite(number.doubleValue());
    }

    private static void writeText(StringBuilder out, CharSequence text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '"' || letter == '\\') {
                out.append('\\').append(letter);
            } else if (letter < ' ' || Character.isSurrogate(letter)) {
                out.append(String.format("\\u%04x", (int) letter));
            } else {
                out.append(letter);
            }
        }
        out.append('"');
    }
}

package brig.workeragent.profile;

/**
 * Adds a host to the text of a policy's file and keeps everything else, including comments. The text must be valid
 * JSON; the caller verifies the result.
 */
final class PolicyText {
    private final String text;
    private int at;

    private PolicyText(String text) {
        this.text = text;
    }

    /**
     * The text with a host as the first of {@code egress.allowedHosts}.
     *
     * @throws IllegalArgumentException if the file has no {@code egress}
     */
    static String withHost(String text, String host) {
        PolicyText place = new PolicyText(text);
        place.skipBlank();
        if (!place.enter("egress") || place.next() != '{') {
            throw new IllegalArgumentException("it has no object \"egress\"");
        }
        int object = place.at;
        String quoted = '"' + host + '"';
        if (place.enter("allowedHosts")) {
            return place.inserted(place.at, quoted, ']');
        }
        return place.inserted(object, "\"allowedHosts\": [" + quoted + "]", '}');
    }

    /** Inserts an element after the opening bracket, adding a comma if the list is not empty. */
    private String inserted(int bracket, String piece, char end) {
        at = bracket + 1;
        skipBlank();
        return text.substring(0, bracket + 1) + piece + (next() == end ? "" : ", ") + text.substring(bracket + 1);
    }

    /** Moves from the brace of an object to the value of that key; false if it has none. */
    private boolean enter(String key) {
        at++;
        while (true) {
            skipBlank();
            if (next() == '}') {
                return false;
            }
            if (next() == ',') {
                at++;
                continue;
            }
            int begin = at;
            skipText();
            boolean found = text.substring(begin + 1, at - 1).equals(key);
            skipBlank();
            at++;
            skipBlank();
            if (found) {
                return true;
            }
            skipValue();
        }
    }

    private char next() {
        return text.charAt(at);
    }

    private void skipBlank() {
        while (true) {
            if (Character.isWhitespace(next())) {
                at++;
            } else if (text.startsWith("//", at)) {
                at = text.indexOf('\n', at);
            } else if (text.startsWith("/*", at)) {
                at = text.indexOf("*/", at) + 2;
            } else {
                return;
            }
        }
    }

    private void skipText() {
        for (at++; next() != '"'; at++) {
            if (next() == '\\') {
                at++;
            }
        }
        at++;
    }

    private void skipValue() {
        int depth = 0;
        do {
            skipBlank();
            switch (next()) {
                case '"' -> skipText();
                case '{', '[' -> {
                    depth++;
                    at++;
                }
                case '}', ']' -> {
                    depth--;
                    at++;
                }
                case ',', ':' -> at++;
                default -> {
                    while ("{}[],:\"/".indexOf(next()) < 0 && !Character.isWhitespace(next())) {
                        at++;
                    }
                }
            }
        } while (depth > 0);
    }
}

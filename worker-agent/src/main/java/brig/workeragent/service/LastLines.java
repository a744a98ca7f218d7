package brig.workeragent.service;

/** The end of what a program wrote. Thread-safe. */
final class LastLines {
    private static final int CHARACTERS_MAX = 1500;

    private final StringBuilder text = new StringBuilder();

    synchronized void add(String piece) {
        text.append(piece);
        int over = text.length() - CHARACTERS_MAX;
        if (over > 0) {
            int line = text.indexOf("\n", over);
            text.delete(0, line < 0 || line + 1 == text.length() ? over : line + 1);
        }
    }

    /** For the end of a sentence: empty if there was nothing. */
    synchronized String told() {
        String last = text.toString().strip();
        return last.isEmpty() ? "; it wrote nothing" : "; it wrote last:\n" + last;
    }
}

package brig.formats.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Characters with marks that join them, each kept once: cells have its number. Whatever an agent writes, there are not many
 * and none is long; marks that do not fit are left out.
 */
final class Clusters {
    private static final int COUNT_MAX = 16_384;
    /** More than any script or emoji needs. */
    private static final int CHARS_MAX = 32;
    /** The least output between two searches for those that are no longer on the screen. */
    private static final int SWEEP_EVERY = 1 << 20;

    private static final int RECENT = 1 << 10;

    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> texts = new ArrayList<>();
    /** Of what was joined lately: a character with its mark, and what came of it. */
    private final long[] recent = new long[RECENT];

    private final int[] recentlyJoined = new int[RECENT];
    private int untilSweep;

    /** Output was written: so much is nearer the next search. */
    void written(int count) {
        untilSweep = Math.max(0, untilSweep - count);
    }

    String text(int character) {
        return (character & Line.CLUSTER) != 0
                ? texts.get(character & Line.POINT)
                : Character.toString(character & Line.POINT);
    }

    /**
     * A character with one more mark.
     *
     * @param character without flags but {@link Line#CLUSTER}
     * @param lines gives each row that has characters
     */
    int join(int character, int mark, Consumer<Consumer<Line>> lines) {
        long key = ((long) character << 32) | mark;
        int place = (character * 31 + mark) & (RECENT - 1);
        if (recent[place] != key) {
            recentlyJoined[place] = search(character, mark, lines);
            recent[place] = key;
        }
        return recentlyJoined[place];
    }

    private int search(int character, int mark, Consumer<Consumer<Line>> lines) {
        String before = text(character);
        String text = before + Character.toString(mark);
        if (text.length() > CHARS_MAX) {
            return character;
        }
        if (!numbers.containsKey(text) && texts.size() == COUNT_MAX && untilSweep == 0) {
            untilSweep = SWEEP_EVERY;
            sweep(lines);
        }
        if (numbers.containsKey(text) || texts.size() < COUNT_MAX) {
            return Line.CLUSTER | number(text);
        }
        return (character & Line.CLUSTER) != 0 ? Line.CLUSTER | number(before) : character;
    }

    private int number(String text) {
        return numbers.computeIfAbsent(text, added -> {
            texts.add(added);
            return texts.size() - 1;
        });
    }

    private void sweep(Consumer<Consumer<Line>> lines) {
        List<String> before = List.copyOf(texts);
        numbers.clear();
        texts.clear();
        Arrays.fill(recent, 0);
        lines.accept(line -> {
            for (int i = 0; i < line.used(); i++) {
                if ((line.text(i) & Line.CLUSTER) != 0) {
                    line.replace(i, Line.CLUSTER | number(before.get(line.text(i) & Line.POINT)));
                }
            }
        });
    }
}

package brig.cli.tty;

import brig.protocol.BrigException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys that detach, found among those that are typed. Those that may yet become the sequence wait until another key shows
 * that they are not, or {@link #release} gives them up. Thread-safe. A key is recognised in each form that an agent can ask a terminal for: its character, the keyboard
 * protocol of kitty, and modifyOtherKeys of xterm.
 */
public final class DetachKeys {
    /** As {@code docker attach} has it. */
    public static final String USUAL = "ctrl-p,ctrl-q";

    private static final int KEYS_MAX = 8;
    private static final int CONTROL = 4;
    /** Caps Lock and Num Lock. */
    private static final int LOCKS = 64 | 128;

    private static final String RELEASED = "3";
    /** Of the keyboard protocol: Shift, Ctrl, Alt and so on, pressed by themselves. */
    private static final int MODIFIERS_MIN = 57_441;

    private static final int MODIFIERS_MAX = 57_454;
    private static final Pattern NAME = Pattern.compile("(?:(ctrl-)([a-z@\\[\\\\\\]^_])|([!-+\\--~]))");
    private static final Pattern SEQUENCE = Pattern.compile(
            "\\x1b\\[(?:(\\d{1,7})(?::\\d*)*(?:;(\\d{0,3})(?::(\\d))?(?:;[\\d:]*)?)?u|27;(\\d{1,3});(\\d{1,7})~)");

    /** @param point its character, without Ctrl */
    private record Key(int point, boolean control) {}

    /** @param silent a key that is released, or one that changes others */
    private record Typed(int length, Key key, boolean silent) {}

    private final List<Key> sequence;

    // Guarded by this: what was typed of the sequence, and how many of its keys that is.
    private final StringBuilder held = new StringBuilder();
    private int matched;

    private DetachKeys(List<Key> sequence) {
        this.sequence = sequence;
    }

    /**
     * Reads a list such as {@code ctrl-p,ctrl-q}; nothing detaches with an empty one.
     *
     * @throws BrigException {@code INVALID_FIELD}
     */
    public static DetachKeys of(String option) {
        List<Key> keys = new ArrayList<>();
        for (String word : option.isEmpty() ? new String[0] : option.split(",", -1)) {
            Matcher name = NAME.matcher(word);
            if (!name.matches() || keys.size() == KEYS_MAX) {
                throw BrigException.invalid(
                        "--detach-keys",
                        "must be up to " + KEYS_MAX + " keys such as ctrl-p or x, with commas between");
            }
            keys.add(
                    name.group(1) == null
                            ? new Key(name.group(3).charAt(0), false)
                            : new Key(name.group(2).charAt(0), true));
        }
        return new DetachKeys(keys);
    }

    /** No key detaches. */
    public static DetachKeys none() {
        return new DetachKeys(List.of());
    }

    public boolean areNone() {
        return sequence.isEmpty();
    }

    /** Whether they were typed. */
    synchronized boolean areTyped() {
        return !sequence.isEmpty() && matched == sequence.size();
    }

    /** Takes what is typed. @return what the agent gets; behind the whole sequence it gets nothing */
    synchronized String take(String typed) {
        if (sequence.isEmpty()) {
            return typed;
        }
        StringBuilder passed = new StringBuilder();
        for (int at = 0; at < typed.length() && !areTyped(); ) {
            Typed next = next(typed, at);
            String text = typed.substring(at, at + next.length());
            at += next.length();
            if (matched > 0 && next.silent()) {
                held.append(text);
                continue;
            }
            if (matched > 0 && !next.key().equals(sequence.get(matched))) {
                passed.append(held);
                held.setLength(0);
                matched = 0;
            }
            if (!next.silent() && next.key().equals(sequence.get(matched))) {
                held.append(text);
                matched++;
            } else {
                passed.append(text);
            }
        }
        return passed.toString();
    }

    synchronized boolean isWaiting() {
        return matched > 0 && !areTyped();
    }

    /** What waits, if it is not the whole sequence: the person has stopped typing. It is no part of the sequence any more. */
    synchronized String release() {
        if (areTyped()) {
            return "";
        }
        String waited = held.toString();
        forget();
        return waited;
    }

    /** Begins anew, as if nothing had been typed. */
    synchronized void forget() {
        held.setLength(0);
        matched = 0;
    }

    private static Typed next(String typed, int at) {
        Matcher found = SEQUENCE.matcher(typed).region(at, typed.length());
        if (!found.lookingAt()) {
            int point = typed.codePointAt(at);
            boolean control = point < ' ';
            return new Typed(
                    Character.charCount(point),
                    new Key(control ? Character.toLowerCase(point + '@') : point, control),
                    false);
        }
        boolean kitty = found.group(1) != null;
        int point = Integer.parseInt(kitty ? found.group(1) : found.group(5));
        String modifiers = kitty ? found.group(2) : found.group(4);
        int pressed = (modifiers == null || modifiers.isEmpty() ? 0 : Integer.parseInt(modifiers) - 1) & ~LOCKS;
        boolean silent = RELEASED.equals(found.group(3)) || (kitty && point >= MODIFIERS_MIN && point <= MODIFIERS_MAX);
        // With other keys held down it is another key: one that no option names.
        boolean plain = pressed == 0 || pressed == CONTROL;
        return new Typed(found.end() - at, new Key(plain ? point : -1, pressed == CONTROL), silent);
    }
}

package brig.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The text of a settings file that people edit: one setting changes, and every other byte stays. */
interface EditedText {
    String text();

    /** The text of a setting; null for none. */
    @Nullable
    String get(List<String> path);

    /** Replaces a setting, or adds it. */
    void put(List<String> path, String value);

    /** Removes a setting; no effect if it does not exist. */
    void remove(List<String> path);

    /** Whether a group of settings exists and has none. */
    boolean isEmpty(List<String> path);
}

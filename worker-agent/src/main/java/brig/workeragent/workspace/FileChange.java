package brig.workeragent.workspace;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A patch's change of one file.
 *
 * @param path below the repository; every character is a byte
 * @param oldMode, newMode one of the modes below
 * @param added, removed lines
 * @param linkTarget the new target of a symbolic link; null if the patch does not show it
 */
record FileChange(
        String path,
        int oldMode,
        int newMode,
        boolean binary,
        long added,
        long removed,
        @Nullable String linkTarget) {
    /** The file does not exist; other modes are git's. */
    static final int NONE = 0;

    static final int FILE = 0100644;
    static final int EXECUTABLE = 0100755;
    static final int LINK = 0120000;
    static final int REPOSITORY = 0160000;

    List<String> parts() {
        return List.of(path.split("/", -1));
    }

    /** Collects a patch's statements about a file. */
    static final class Builder {
        private final String path;
        private int oldMode = -1;
        private int newMode = -1;
        private boolean binary;
        private long added;
        private long removed;
        private String lastAdded = "";
        private boolean wholeLine;

        Builder(String path) {
            this.path = path;
        }

        String path() {
            return path;
        }

        void modes(int before, int after) {
            oldMode = before;
            newMode = after;
        }

        boolean hasModes() {
            return oldMode >= 0;
        }

        boolean isNew() {
            return oldMode == NONE;
        }

        boolean isDeleted() {
            return newMode == NONE;
        }

        void binary() {
            binary = true;
        }

        void added(String line) {
            added++;
            lastAdded = line;
            wholeLine = true;
        }

        void removed() {
            removed++;
        }

        void endsWithoutLineFeed() {
            wholeLine = false;
        }

        FileChange build() {
            boolean shown = newMode == LINK && !binary && added == 1 && lastAdded.endsWith("\n") && !wholeLine;
            return new FileChange(
                    path,
                    oldMode,
                    newMode,
                    binary,
                    added,
                    removed,
                    shown ? lastAdded.substring(0, lastAdded.length() - 1) : null);
        }
    }
}

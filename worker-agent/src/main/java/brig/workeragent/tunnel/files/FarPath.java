package brig.workeragent.tunnel.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/**
 * An absolute, normal path of the far side. File names are bytes, which need not be UTF-8.
 *
 * @param bytes one character for each byte
 */
record FarPath(String bytes) {
    /** @return null for what is no such path: relative, with an empty part, a dot, two dots, a NUL, or too long */
    static @Nullable FarPath of(byte[] path) {
        String text = new String(path, ISO_8859_1);
        if (path.length < 2 || path.length > Sftp.PATH_BYTES_MAX || text.charAt(0) != '/') {
            return null;
        }
        for (String name : text.substring(1).split("/", -1)) {
            if (!isName(name) || name.equals(".") || name.equals("..")) {
                return null;
            }
        }
        return new FarPath(text);
    }

    /** Whether it can be an entry of a folder. */
    static boolean isName(String name) {
        return !name.isEmpty()
                && name.length() <= Sftp.NAME_BYTES_MAX
                && name.indexOf('\0') < 0
                && name.indexOf('/') < 0;
    }

    /** A path as sshfs writes it, which adds a slash and a dot to the root. Null if it is not in that folder. */
    @Nullable
    FarPath within(byte[] path) {
        String text = new String(path, ISO_8859_1);
        if (text.equals(bytes) || text.equals(bytes + "/") || text.equals(bytes + "/.")) {
            return this;
        }
        return text.startsWith(bytes + "/") ? of(path) : null;
    }

    /** The folder that it is in. Only for paths below a root. */
    FarPath parent() {
        return new FarPath(bytes.substring(0, bytes.lastIndexOf('/')));
    }

    FarPath child(String name) {
        return new FarPath(bytes + "/" + name);
    }

    byte[] raw() {
        return bytes.getBytes(ISO_8859_1);
    }

    /** For people and globs; bytes that are not UTF-8 become U+FFFD. */
    String text() {
        return new String(raw(), UTF_8);
    }
}

package brig.workeragent.image.unpack;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.workeragent.image.unpack.ImageEntry.Kind;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads a tar archive: ustar with the long names of GNU and of pax. Format: POSIX.1-2017, pax, and the manual of GNU
 * tar, "Basic Tar Format".
 */
final class TarReader {
    private static final int BLOCK = 512;
    /** What describes a file, such as a long name. */
    private static final int DESCRIPTION_BYTES_MAX = 1 << 20;

    private final InputStream in;
    private long left;
    private int padding;

    TarReader(InputStream in) {
        this.in = in;
    }

    /** The next file; null at the end. What was not read of the one before is skipped. */
    @Nullable
    ImageEntry next() throws IOException {
        Map<String, byte[]> described = new HashMap<>();
        while (true) {
            skipRest();
            byte[] header = in.readNBytes(BLOCK);
            if (header.length == 0 || isZero(header)) {
                return null;
            }
            checkHeader(header);
            begin(number(header, 124, 12));
            char type = (char) header[156];
            switch (type) {
                case 'L' -> described.put("path", upToZero(description()));
                case 'K' -> described.put("linkpath", upToZero(description()));
                case 'x' -> readPax(description(), described);
                case 'g' -> description();
                default -> {
                    return entry(header, type, described);
                }
            }
        }
    }

    private ImageEntry entry(byte[] header, char type, Map<String, byte[]> described) throws UnusableImageException {
        if (type == 'S' || described.keySet().stream().anyMatch(key -> key.startsWith("GNU.sparse"))) {
            throw new UnusableImageException("a layer has sparse files, which are not understood");
        }
        byte[] size = described.get("size");
        if (size != null) {
            begin(decimal(size));
        }
        String path = text(described.getOrDefault("path", ownPath(header)));
        String link = text(described.getOrDefault("linkpath", field(header, 157, 100)));
        Kind kind = path == null || link == null ? Kind.OTHER : kind(type, path);
        // These have no content, whatever their size says.
        if ((type >= '1' && type <= '6') || kind == Kind.FOLDER) {
            begin(0);
        }
        return new ImageEntry(
                path == null ? "" : path,
                kind,
                link == null ? "" : link,
                (number(header, 100, 8) & 0111) != 0,
                number(header, 136, 12));
    }

    private static Kind kind(char type, String path) {
        return switch (type) {
            case '0', '7', '\0' -> path.endsWith("/") ? Kind.FOLDER : Kind.FILE;
            case '1' -> Kind.HARD_LINK;
            case '2' -> Kind.SYMBOLIC_LINK;
            case '5' -> Kind.FOLDER;
            default -> Kind.OTHER;
        };
    }

    /** Reads content of the current file; -1 at its end. */
    int read(byte[] buffer) throws IOException {
        if (left == 0) {
            return -1;
        }
        int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
        if (count < 0) {
            throw cutOff();
        }
        left -= count;
        return count;
    }

    private void begin(long size) {
        left = size;
        padding = (int) (-size & (BLOCK - 1));
    }

    private void skipRest() throws IOException {
        try {
            in.skipNBytes(left);
            in.skipNBytes(padding);
        } catch (EOFException e) {
            throw cutOff();
        }
        begin(0);
    }

    private byte[] description() throws IOException {
        if (left > DESCRIPTION_BYTES_MAX) {
            throw new UnusableImageException("a layer describes a file with more than 1 MiB");
        }
        byte[] content = in.readNBytes((int) left);
        if (content.length < left) {
            throw cutOff();
        }
        left = 0;
        return content;
    }

    /** Records such as {@code 27 path=a/b}, each with its length, which counts itself and the line's end. */
    private static void readPax(byte[] content, Map<String, byte[]> described) throws UnusableImageException {
        int at = 0;
        while (at < content.length) {
            int space = indexOf(content, (byte) ' ', at);
            long length = space < 0 ? 0 : decimal(Arrays.copyOfRange(content, at, space));
            long end = at + length;
            int equals = indexOf(content, (byte) '=', at);
            if (length <= 0 || end > content.length || equals < 0 || equals >= end || content[(int) end - 1] != '\n') {
                throw new UnusableImageException("a layer has a malformed pax header");
            }
            String key = new String(content, space + 1, Math.max(0, equals - space - 1), UTF_8);
            described.put(key, Arrays.copyOfRange(content, equals + 1, (int) end - 1));
            at = (int) end;
        }
    }

    private static void checkHeader(byte[] header) throws UnusableImageException {
        if (header.length < BLOCK) {
            throw cutOff();
        }
        long sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            sum += i >= 148 && i < 156 ? ' ' : header[i] & 0xff;
        }
        if (sum != number(header, 148, 8)) {
            throw new UnusableImageException("a layer is no tar archive");
        }
    }

    /** In octal, or in binary where the first bit says so. */
    private static long number(byte[] header, int offset, int length) throws UnusableImageException {
        long value = 0;
        if ((header[offset] & 0x80) != 0) {
            for (int i = offset + 1; i < offset + length; i++) {
                if (value > Long.MAX_VALUE >> 8) {
                    throw new UnusableImageException("a layer has a number that is too large");
                }
                value = (value << 8) | (header[i] & 0xff);
            }
            return value;
        }
        for (int i = offset; i < offset + length; i++) {
            int digit = header[i] - '0';
            if (digit >= 0 && digit < 8) {
                value = (value << 3) | digit;
            } else if (header[i] != ' ' && header[i] != 0) {
                throw new UnusableImageException("a layer is no tar archive");
            }
        }
        return value;
    }

    private static long decimal(byte[] digits) throws UnusableImageException {
        String text = new String(digits, UTF_8);
        if (!text.matches("\\d{1,18}")) {
            throw new UnusableImageException("a layer has a malformed pax header");
        }
        return Long.parseLong(text);
    }

    /** Of ustar, whose prefix GNU's headers do not have. */
    private static byte[] ownPath(byte[] header) {
        byte[] name = field(header, 0, 100);
        boolean isUstar = new String(header, 257, 6, UTF_8).equals("ustar\0");
        byte[] prefix = isUstar ? field(header, 345, 155) : new byte[0];
        if (prefix.length == 0) {
            return name;
        }
        byte[] path = Arrays.copyOf(prefix, prefix.length + 1 + name.length);
        path[prefix.length] = '/';
        System.arraycopy(name, 0, path, prefix.length + 1, name.length);
        return path;
    }

    private static byte[] field(byte[] header, int offset, int length) {
        return upToZero(Arrays.copyOfRange(header, offset, offset + length));
    }

    private static byte[] upToZero(byte[] bytes) {
        int end = indexOf(bytes, (byte) 0, 0);
        return end < 0 ? bytes : Arrays.copyOf(bytes, end);
    }

    private static int indexOf(byte[] bytes, byte wanted, int from) {
        for (int i = from; i < bytes.length; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        return -1;
    }

    /** Null for what is no UTF-8, or has a NUL. */
    private static @Nullable String text(byte[] bytes) {
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            return text.indexOf('\0') < 0 ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static boolean isZero(byte[] block) {
        for (byte each : block) {
            if (each != 0) {
                return false;
            }
        }
        return true;
    }

    private static UnusableImageException cutOff() {
        return new UnusableImageException("a layer ends in the middle of a file");
    }
}

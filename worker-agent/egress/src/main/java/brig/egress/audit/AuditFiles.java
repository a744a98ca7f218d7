package brig.egress.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.egress.AuditLine;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files of {@link AuditLog} from any position, while they are written. An index of the audit is built with
 * it.
 *
 * <p>A position is the name of the last rotated file that was read, and the number of bytes read of the next one. It
 * stays valid when the next file is rotated, as names only grow. A checksum of the first line detects a file that
 * replaced one deleted unread; an inode number would not, as it is soon reused.
 *
 * <p>Decision 0054.
 */
public final class AuditFiles {
    /**
     * Complete lines.
     *
     * @param next the position to continue at
     * @param oldestMs the time of the oldest existing line; 0 for none
     */
    public record Part(List<String> lines, String next, long oldestMs) {}

    private record Place(String after, long head, long offset) {
        static Place parse(String text) {
            String[] parts = text.split("\\|", -1);
            try {
                return text.isEmpty()
                        ? new Place("", 0, 0)
                        : new Place(parts[0], Long.parseLong(parts[1]), Long.parseLong(parts[2]));
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                throw new BrigException(ErrorCode.INVALID_FIELD, "field 'from' is not a position in the audit");
            }
        }

        String text() {
            return after + "|" + head + "|" + offset;
        }
    }

    private static final int HEAD_BYTES = 16 * 1024;

    private final Path folder;

    public AuditFiles(Path folder) {
        this.folder = folder;
    }

    /**
     * The lines after a position.
     *
     * @param position empty for the beginning
     * @param bytesMax longer lines are left out
     */
    public Part read(String position, int bytesMax) throws IOException {
        Place place = Place.parse(position);
        List<Path> files = files();
        long oldestMs = files.isEmpty() ? 0 : firstMs(files.getFirst());
        for (int i = 0; i < files.size(); i++) {
            Path file = files.get(i);
            String name = nameOf(file);
            boolean aside = !name.equals(AuditLog.NAME);
            if (aside && name.compareTo(place.after()) <= 0) {
                continue;
            }
            try (SeekableByteChannel channel = Files.newByteChannel(file)) {
                long head = checksum(firstLine(channel));
                if (!aside && !files().equals(files)) {
                    // Rotated meanwhile: the file that has its name now comes after it.
                    return read(position, bytesMax);
                }
                long offset = head == place.head() ? place.offset() : 0;
                Part part = read(channel, new Place(place.after(), head, offset), bytesMax, oldestMs);
                if (!part.next().equals(new Place(place.after(), head, offset).text())) {
                    return part;
                }
                place = aside ? new Place(name, 0, 0) : new Place(place.after(), head, offset);
            } catch (NoSuchFileException e) {
                place = aside ? new Place(name, 0, 0) : place;
            }
        }
        return new Part(List.of(), place.text(), oldestMs);
    }

    private static Part read(SeekableByteChannel channel, Place place, int bytesMax, long oldestMs) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(bytesMax, Math.max(0, channel.size() - place.offset())));
        channel.position(place.offset());
        fill(bytes, channel);
        int end = bytes.position();
        while (end > 0 && bytes.get(end - 1) != '\n') {
            end--;
        }
        List<String> lines = new String(bytes.array(), 0, end, UTF_8).lines().toList();
        int used = end == 0 && bytes.position() == bytesMax ? bytesMax : end;
        return new Part(lines, new Place(place.after(), place.head(), place.offset() + used).text(), oldestMs);
    }

    private static void fill(ByteBuffer bytes, SeekableByteChannel channel) throws IOException {
        int count;
        do {
            count = channel.read(bytes);
        } while (count > 0);
    }

    /** All files in the order in which they were written. */
    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "egress*.jsonl")) {
            found.forEach(files::add);
        } catch (NoSuchFileException e) {
            return List.of();
        }
        files.sort(null);
        return files;
    }

    private static String nameOf(@Nullable Path file) {
        return file == null ? "" : String.valueOf(file.getFileName());
    }

    /** The first line; empty if it is not complete yet. */
    private static String firstLine(SeekableByteChannel channel) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
        fill(head, channel);
        String text = new String(head.array(), 0, head.position(), UTF_8);
        return text.substring(0, Math.max(0, text.indexOf('\n')));
    }

    private static long checksum(String line) {
        CRC32C sum = new CRC32C();
        sum.update(line.getBytes(UTF_8));
        return sum.getValue();
    }

    private static long firstMs(Path file) throws IOException {
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            String line = firstLine(channel);
            return line.isEmpty()
                    ? 0
                    : Json.read(line.getBytes(UTF_8), AuditLine.class).ts();
        } catch (NoSuchFileException | BrigException e) {
            return 0;
        }
    }
}

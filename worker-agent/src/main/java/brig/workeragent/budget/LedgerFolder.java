package brig.workeragent.budget;

import brig.egress.budget.LedgerLine;
import brig.egress.budget.LedgerReplay;
import brig.protocol.ErrorCode;
import brig.protocol.wire.LineDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ledgers of brig-egress, which writes each through a descriptor that it is given. A ledger whose head is complete has
 * all that earlier ones have, so the newest such one counts. Owned by the thread that starts brig-egress.
 *
 * <p>Decision 0199.
 */
public final class LedgerFolder {
    private static final Logger LOG = LoggerFactory.getLogger(LedgerFolder.class);
    private static final Pattern NAME = Pattern.compile("ledger-(\\d{1,18})\\.jsonl");
    private static final int LINE_BYTES_MAX = 64 * 1024;

    private final Path folder;

    public LedgerFolder(Path folder) {
        this.folder = folder;
    }

    static void makeFolder(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    }

    private record Numbered(long number, Path file) {}

    private List<Numbered> newestFirst() throws IOException {
        makeFolder(folder);
        List<Numbered> all = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "ledger-*.jsonl")) {
            for (Path file : files) {
                Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
                if (name.matches()) {
                    all.add(new Numbered(Long.parseLong(name.group(1)), file));
                }
            }
        }
        all.sort(Comparator.comparingLong(Numbered::number).reversed());
        return all;
    }

    /** What each purse has used up, by the newest ledger whose head is complete. */
    public List<LedgerLine.Spent> spent() throws IOException {
        for (Numbered each : newestFirst()) {
            LedgerReplay replay = replay(each.file());
            if (replay.unreadable() > 0) {
                LOG.warn("{} has {} lines that cannot be read", each.file(), replay.unreadable());
            }
            if (replay.isComplete()) {
                return replay.finish();
            }
        }
        return List.of();
    }

    private static LedgerReplay replay(Path file) throws IOException {
        LedgerReplay replay = new LedgerReplay();
        LineDecoder lines = new LineDecoder(LINE_BYTES_MAX, new LineDecoder.Sink() {
            @Override
            public void handleLine(byte[] bytes, int offset, int length) {
                replay.add(bytes, offset, length);
            }

            @Override
            public void handleBadLine(ErrorCode code) {
                LOG.warn("a line of {} is refused: {}", file, code);
            }
        });
        try (InputStream in = Files.newInputStream(file)) {
            byte[] buffer = new byte[64 * 1024];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                lines.decode(buffer, 0, count);
            }
        }
        return replay;
    }

    /** A new, empty ledger. */
    public Next next() throws IOException {
        List<Numbered> all = newestFirst();
        long number = all.isEmpty() ? 1 : all.getFirst().number() + 1;
        Path file = folder.resolve("ledger-" + number + ".jsonl");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return new Next(number, file);
    }

    /** A ledger that begins. */
    public record Next(long number, Path file) {}

    /** The ledger of that number has all that counts: removes those before it. */
    public void forgetBefore(long number) throws IOException {
        for (Numbered each : newestFirst()) {
            if (each.number() < number) {
                Files.deleteIfExists(each.file());
            }
        }
    }
}

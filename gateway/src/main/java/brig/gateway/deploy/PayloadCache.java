package brig.gateway.deploy;

import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The payload of this installation, made by its own program and kept in the gateway's state folder. It is made once for
 * all hosts; older ones are removed. Owned by the event loop.
 */
public final class PayloadCache implements Payload {
    /** The least name that a folder may have, and no other file of it. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.+_-]{0,100}-[0-9a-f]{16}");

    private static final String SUFFIX = ".tar.gz";
    private static final long MAKE_MS = 600_000;

    private final Path program;
    private final Path folder;
    private final Steps steps;
    private final Executor disk;
    private final Executor loop;
    private @Nullable CompletableFuture<String> name;
    private @Nullable CompletableFuture<Archive> archive;

    /**
     * @param program {@code lib/host/payload}
     * @param folder where archives are kept
     */
    public PayloadCache(Path program, Path folder, Processes processes, Timers timers, Executor disk, Executor loop) {
        this.program = program;
        this.folder = folder;
        steps = new Steps(processes, timers);
        this.disk = disk;
        this.loop = loop;
    }

    @Override
    public String machine() {
        String arch = System.getProperty("os.arch", "");
        return arch.equals("amd64") ? "x86_64" : arch;
    }

    @Override
    public CompletionStage<String> name() {
        if (name == null || name.isCompletedExceptionally()) {
            name = new CompletableFuture<>();
            CompletableFuture<String> asked = name;
            run(List.of(program.toString(), "version"), asked, said -> {
                String word = said.out().text().strip();
                if (!NAME.matcher(word).matches()) {
                    throw broken("says no version", said);
                }
                asked.complete(word);
            });
        }
        return name;
    }

    @Override
    public CompletionStage<Archive> archive() {
        if (archive == null || archive.isCompletedExceptionally()) {
            CompletableFuture<Archive> asked = new CompletableFuture<>();
            archive = asked;
            name().whenComplete((word, failure) -> {
                if (failure != null) {
                    asked.completeExceptionally(failure);
                } else {
                    onDisk(asked, () -> prepare(word), found -> {
                        if (found.bytes() > 0) {
                            asked.complete(found);
                        } else {
                            make(found.file(), asked);
                        }
                    });
                }
            });
        }
        return archive;
    }

    /** Makes room; the file itself may be there from before, else it has no bytes. */
    private Archive prepare(String word) throws IOException {
        Files.createDirectories(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path kept = folder.resolve(word + SUFFIX);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                if (!file.equals(kept)) {
                    delete(file);
                }
            }
        }
        return new Archive(kept, Files.exists(kept) ? Files.size(kept) : 0);
    }

    /** A making that was killed leaves a folder. */
    private static void delete(Path file) throws IOException {
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> inside = Files.newDirectoryStream(file)) {
                for (Path one : inside) {
                    delete(one);
                }
            }
        }
        Files.deleteIfExists(file);
    }

    private void make(Path kept, CompletableFuture<Archive> asked) {
        Path fresh = folder.resolve(".new" + SUFFIX);
        run(List.of(program.toString(), "make", fresh.toString()), asked, said -> {
            if (said.code() != 0) {
                throw broken("does not make it", said);
            }
            onDisk(
                    asked,
                    () -> {
                        Files.move(fresh, kept, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                        return new Archive(kept, Files.size(kept));
                    },
                    asked::complete);
        });
    }

    private void run(List<String> command, CompletableFuture<?> asked, Consumer<Processes.Ended> then) {
        steps.run(
                new Steps.Step("the making of the payload for hosts", command, MAKE_MS),
                ended -> {
                    try {
                        then.accept(ended);
                    } catch (BrigException e) {
                        asked.completeExceptionally(e);
                    }
                },
                late -> asked.completeExceptionally(new BrigException(ErrorCode.INTERNAL, late.reason())));
    }

    private BrigException broken(String what, Processes.Ended said) {
        return new BrigException(
                ErrorCode.INTERNAL,
                "the payload for hosts: " + program.getFileName() + " " + what + " ("
                        + (said.code() == 0 ? said.out() : said.errors()).shown()
                        + "); reinstall Brig");
    }

    /** Work on files. */
    private interface FileTask {
        Archive run() throws IOException;
    }

    private void onDisk(CompletableFuture<?> asked, FileTask task, Consumer<Archive> then) {
        disk.execute(() -> {
            try {
                Archive file = task.run();
                loop.execute(() -> then.accept(file));
            } catch (IOException e) {
                BrigException why = Reason.refusal(ErrorCode.INTERNAL, "the payload for hosts cannot be kept", e);
                loop.execute(() -> asked.completeExceptionally(why));
            }
        });
    }
}

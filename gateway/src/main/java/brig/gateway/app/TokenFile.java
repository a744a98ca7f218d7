package brig.gateway.app;

import brig.gateway.auth.Token;
import brig.gateway.auth.Tokens;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Json;
import brig.protocol.record.Extensible;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * The minted tokens, as a file that only its owner can read. It holds their hashes, never a secret. It is replaced
 * atomically, so a crash leaves the old or the new version.
 */
final class TokenFile implements Tokens.Store {
    private final Path file;
    private final Path adminFile;
    private final Executor disk;
    private final Executor loop;

    TokenFile(Path file, Path adminFile, Executor disk, Executor loop) {
        this.file = file;
        this.adminFile = adminFile;
        this.disk = disk;
        this.loop = loop;
    }

    /** Loads the tokens. @throws BrigException if the file cannot be read, since revocations would be unknown then */
    List<Token> load() {
        if (!Files.exists(file)) {
            return List.of();
        }
        try {
            return Json.read(Files.readAllBytes(file), Kept.class).tokens();
        } catch (IOException | BrigException e) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "cannot read the tokens in " + file + ": " + e.getMessage()
                            + "; without the file no minted token counts any more");
        }
    }

    /** The content of the file. */
    @Extensible
    private record Kept(List<Token> tokens) {}

    @Override
    public CompletionStage<Void> save(Collection<Token> tokens) {
        return replace(file, Json.write(new Kept(List.copyOf(tokens))));
    }

    @Override
    public CompletionStage<Void> saveAdmin(String secret) {
        return replace(adminFile, (secret + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private CompletionStage<Void> replace(Path replaced, byte[] content) {
        CompletableFuture<Void> saved = new CompletableFuture<>();
        disk.execute(() -> {
            try {
                write(replaced, content);
                loop.execute(() -> saved.complete(null));
            } catch (BrigException e) {
                loop.execute(() -> saved.completeExceptionally(e));
            }
        });
        return saved;
    }

    private static void write(Path file, byte[] content) {
        try {
            WholeFile.write(file, fresh -> {
                try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                    ByteBuffer bytes = ByteBuffer.wrap(content);
                    while (bytes.hasRemaining()) {
                        channel.write(bytes);
                    }
                    channel.force(true);
                }
            });
        } catch (IOException e) {
            throw new BrigException(ErrorCode.RECORD_LOST, "cannot write the tokens to " + file + ": " + Reason.of(e));
        }
    }
}

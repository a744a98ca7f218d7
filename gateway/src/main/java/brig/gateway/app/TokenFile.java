package brig.gateway.app;

import brig.gateway.auth.Token;
import brig.gateway.auth.Tokens;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.Role;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that were minted, as a file that only its owner reads: their hashes, never a secret. It is written as a
 * whole beside its place and then moved there, so a crash leaves the old one or the new one.
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

    /** What was saved last. @throws BrigException where the file cannot be read, for then nobody would know what was revoked */
    List<Token> load() {
        if (!Files.exists(file)) {
            return List.of();
        }
        try {
            return new Fields(Json.parseObject(Files.readAllBytes(file)))
                    .objects("tokens").stream().map(TokenFile::read).toList();
        } catch (IOException | BrigException e) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "cannot read the tokens in " + file + ": " + e.getMessage()
                            + "; without the file no minted token counts any more");
        }
    }

    private static Token read(Fields token) {
        return new Token(
                token.requiredText("hash"),
                Role.valueOf(token.requiredText("role").toUpperCase(Locale.ROOT)),
                token.requiredText("captain"),
                token.text("spawn_id"),
                token.number("created_ms", 0, Long.MAX_VALUE, 0),
                token.number("expires_ms", 0, Long.MAX_VALUE, 0),
                token.flag("revoked"));
    }

    @Override
    public CompletionStage<Void> save(Collection<Token> tokens) {
        List<Map<String, @Nullable Object>> written =
                tokens.stream().map(TokenFile::view).toList();
        return replace(file, Json.write(Map.of("tokens", written)));
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

    private static Map<String, @Nullable Object> view(Token token) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("hash", token.hash());
        map.put("role", token.role().wireName());
        map.put("captain", token.captain());
        map.put("spawn_id", token.spawnId());
        map.put("created_ms", token.createdMs());
        map.put("expires_ms", token.expiresMs());
        map.put("revoked", token.revoked());
        return map;
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

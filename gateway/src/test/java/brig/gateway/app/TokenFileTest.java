package brig.gateway.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.auth.Token;
import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenFileTest {
    @TempDir
    private Path folder;

    private TokenFile file() {
        return new TokenFile(
                folder.resolve("tokens.json"), folder.resolve("admin.token"), Runnable::run, Runnable::run);
    }

    private static Token token(Role role, String spawnId, boolean revoked) {
        return new Token(Ids.hashToken(Ids.newToken()), role, "alice", spawnId, 1, 2, revoked);
    }

    @Test
    void shouldReadWhatItWroteLast() throws IOException {
        assertEquals(List.of(), file().load());
        file().save(List.of(token(Role.ADMIN, null, false)))
                .toCompletableFuture()
                .join();
        List<Token> tokens = List.of(token(Role.CAPTAIN, null, false), token(Role.WATCHER, "spn_1", true));
        file().save(tokens).toCompletableFuture().join();
        assertEquals(tokens, file().load());
        assertEquals(
                "rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("tokens.json"))));
        assertFalse(Files.exists(folder.resolve("tokens.json.new")));
    }

    @Test
    void shouldWriteOverWhatACrashLeft() throws IOException {
        Files.writeString(folder.resolve("tokens.json.new"), "{\"tok");
        file().save(List.of()).toCompletableFuture().join();
        assertEquals(List.of(), file().load());
    }

    @Test
    void shouldRefuseToStartWhenTheFileCannotBeRead() throws IOException {
        Files.writeString(folder.resolve("tokens.json"), "{\"tokens\":[{}]}");
        BrigException refusal = assertThrows(BrigException.class, () -> file().load());
        assertTrue(refusal.getMessage().contains("tokens.json"), refusal::getMessage);
    }

    @Test
    void shouldFailWhenItCannotWrite() {
        TokenFile gone = new TokenFile(
                folder.resolve("gone/tokens.json"), folder.resolve("admin.token"), Runnable::run, Runnable::run);
        assertTrue(gone.save(List.of()).toCompletableFuture().isCompletedExceptionally());
    }
}

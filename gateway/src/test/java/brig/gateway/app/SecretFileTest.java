package brig.gateway.app;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretFileTest {
    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("client.secret");
    }

    private void write(String secret, String mode) throws IOException {
        Files.writeString(file(), secret);
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString(mode));
    }

    private String refusal() {
        return assertThrows(BrigException.class, () -> SecretFile.require(file(), "secret of oidc.clientId"))
                .getMessage();
    }

    @Test
    void shouldReadASecretThatSomebodyElseMade() throws IOException {
        write("s3cret\n", "rw-------");
        assertEquals("s3cret", SecretFile.require(file(), "secret of oidc.clientId"));
    }

    @Test
    void shouldMakeNoSecretThatSomebodyElseMustKnow() throws IOException {
        assertTrue(refusal().contains("there is no such file"));
        assertFalse(Files.exists(file()));
        write(" \n", "rw-------");
        assertTrue(refusal().contains("there is no secret of oidc.clientId in"));
    }

    @Test
    void shouldRefuseASecretThatOthersMayRead() throws IOException {
        write("s3cret", "rw-r-----");
        String refusal = refusal();
        assertTrue(refusal.endsWith("chmod 600 " + file()), refusal);
        assertFalse(refusal.contains("s3cret"), refusal);
    }
}

package brig.gateway.oidc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.auth.Token;
import brig.gateway.config.Config;
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

class PeopleOfIssuerTest {
    private static final Config.Oidc ONE = TestIssuer.settings("https://one.example.org");
    private static final Config.Oidc OTHER = TestIssuer.settings("https://other.example.org");
    private static final List<Token> TOKENS = List.of(token("alice"), token("oidc:ann@example.org"), token("uid:0"));

    @TempDir
    private Path folder;

    private static Token token(String captain) {
        return new Token(Ids.hashToken(Ids.newToken()), Role.CAPTAIN, captain, null, 0, Long.MAX_VALUE, false);
    }

    private Path file() {
        return folder.resolve("oidc.issuer");
    }

    private List<String> counting(Config.Oidc settings) {
        return new PeopleOfIssuer(settings, file())
                .counting(TOKENS).stream().map(Token::captain).toList();
    }

    @Test
    void shouldCountThePeopleOfTheIssuerThatSignedThemIn() throws IOException {
        assertEquals(List.of("alice", "uid:0"), counting(ONE), "nobody knows whose they are");
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file())));
        assertEquals(List.of("alice", "oidc:ann@example.org", "uid:0"), counting(ONE));
        assertEquals(List.of("alice", "uid:0"), counting(Config.Oidc.NONE), "it is off");
    }

    @Test
    void shouldRefuseThePeopleOfAnotherIssuer() throws IOException {
        counting(ONE);
        BrigException refusal = assertThrows(BrigException.class, () -> new PeopleOfIssuer(OTHER, file()));
        assertTrue(refusal.getMessage().contains("people of https://one.example.org"), refusal::getMessage);
        assertTrue(refusal.getMessage().contains("delete " + file()), refusal::getMessage);
        Files.delete(file());
        assertEquals(List.of("alice", "uid:0"), counting(OTHER));
    }

    @Test
    void shouldMakeNothingWhileItIsOff() {
        PeopleOfIssuer off = new PeopleOfIssuer(Config.Oidc.NONE, file());
        assertNull(off.signIns(secret -> "", List.of(), new TestIssuer("https://one.example.org"), () -> "", () -> 0));
        assertFalse(Files.exists(file()));
    }
}

package brig.workeragent.tunnel.commands;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandCheckTest {
    private static final CommandCheck CHECK = new CommandCheck(List.of(".env", "*.pem", "conf/*.secret"));
    private static final Set<String> KNOWN = Set.of("/p/.env", "/p/keys/server.pem", "/p/odd/token");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "cat .env|.env",
                "cat /p/.env|/p/.env",
                "cat<.env|.env",
                "cat ./x/../.env|./x/../.env",
                "cat .e\"n\"v|.env",
                "cat .e'n'v|.env",
                "cat .e\\nv|.env",
                "curl -d @.env x|.env",
                "dd if=.env|.env",
                "cat $(ls x.pem)|x.pem",
                "cat .e*|.e*",
                "cat */server.p?m|*/server.p?m",
                "cat conf/db.secret|conf/db.secret",
                "cat odd/tok*|odd/tok*",
            })
    void shouldFindThePrivateWord(String command, String word) {
        assertEquals(word, CHECK.privateWord(List.of("-c", command), KNOWN));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "npm test",
                "cat .environment",
                "ls *",
                "ls -la /",
                "cat db.secret",
                "echo [x",
                "cd .. && ls",
                "a=\u0001"
            })
    void shouldLetOthersPass(String command) {
        assertNull(CHECK.privateWord(List.of("-c", command), KNOWN));
    }
}

package brig.gateway.provider.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.gateway.provider.ProviderFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyFileTest {
    @TempDir
    Path folder;

    private String read(String content) throws IOException {
        return new KeyFile(Files.writeString(folder.resolve("key"), content)).read();
    }

    @Test
    void shouldReadItEachTime() throws IOException {
        assertEquals("one", read("one\n"));
        assertEquals("org/two/three", read("  org/two/three\r\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "two words", "two\nlines", "line\r\nX-Other: header", "nul\0", "ünicode"})
    void shouldTakeOneWordOnly(String content) {
        ProviderFailure failure = assertThrows(ProviderFailure.class, () -> read(content));
        assertEquals(ProviderFailure.Kind.REFUSED, failure.kind());
        assertFalse(failure.getMessage().contains("two words"));
    }

    @Test
    void shouldTakeNoLongOne() {
        assertThrows(ProviderFailure.class, () -> read("x".repeat(8 * 1024 + 1)));
    }

    @Test
    void shouldSayThatThereIsNone() {
        ProviderFailure failure = assertThrows(ProviderFailure.class, new KeyFile(folder.resolve("none"))::read);
        assertEquals("the key file " + folder.resolve("none") + ": there is no such file", failure.getMessage());
    }

    @Test
    void shouldStandInNoText() {
        Exchange.Way way = new Exchange.Way(List.of(InetAddress.getLoopbackAddress()), "secret");
        assertFalse(way.toString().contains("secret"));
        ApiCall call = ApiCall.of(Location.ofUrl("https://api.example.com"), "GET", "/v1/sprites")
                .headers(Map.of("Authorization", "Bearer secret"));
        assertEquals("GET api.example.com/v1/sprites", call.toString());
    }
}

package brig.gateway.provider.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocationTest {
    @Test
    void shouldReadHostPortAndPath() {
        assertEquals(new Location("api.sprites.dev", 443, ""), Location.ofUrl("https://api.sprites.dev"));
        assertEquals(new Location("api.sprites.dev", 8443, "/v1"), Location.ofUrl("https://API.Sprites.dev:8443/v1/"));
        assertEquals(new Location("10.0.0.1", 443, "/a/b"), Location.ofEndpoint("10.0.0.1/a/b"));
        assertEquals(
                "[fd00:0:0:0:0:0:0:1]:8443",
                Location.ofEndpoint("[fd00::1]:8443").authority());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://api.sprites.dev",
                "ftp://api.sprites.dev",
                "api.sprites.dev",
                "https://",
                "https:///v1",
                "https://user@api.sprites.dev",
                "https://api.sprites.dev@169.254.169.254/",
                "https://api.sprites.dev:secret@169.254.169.254/",
                "https://api.sprites.dev\\@169.254.169.254/",
                "https://api.sprites.dev#@169.254.169.254/",
                "https://api.sprites.dev/?x=1",
                "https://api.sprites.dev/a b",
                "https://api.sprites.dev/a\r\nHost: other",
                "https://api.sprites.dev/../admin",
                "https://api.sprites.dev/%2e%2E/admin",
                "https://api.sprites.dev:0",
                "https://api.sprites.dev:65536",
                "https://api.sprites.dev:99999999999",
                "https://127.1/",
                "https://0x7f000001/",
                "https://2130706433/",
                "https://[::1%25lo]/",
                "https://[10.0.0.1]/",
                "https://a..b/"
            })
    void shouldTakeNothingElse(String url) {
        assertThrows(IllegalArgumentException.class, () -> Location.ofUrl(url));
    }

    @Test
    void shouldShowLittleOfWhatIsWrong() {
        String said = assertThrows(
                        IllegalArgumentException.class, () -> Location.ofEndpoint("\u001b[31m" + "x".repeat(5000)))
                .getMessage();
        assertEquals(-1, said.indexOf('\u001b'));
        assertEquals(true, said.length() < 250);
    }

    @Test
    void shouldEncodeAPart() {
        assertEquals("a%2Fb%20c%3F%26%2B%C3%A9", Location.encoded("a/b c?&+é"));
    }
}

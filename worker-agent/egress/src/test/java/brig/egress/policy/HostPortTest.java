package brig.egress.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
    @ParameterizedTest
    @CsvSource({
        "a.example, a.example:443",
        "A.Example.:80, a.example:80",
        "10.0.0.1:8080, 10.0.0.1:8080",
        "[::1], [0:0:0:0:0:0:0:1]:443",
        "[::1]:80, [0:0:0:0:0:0:0:1]:80",
        "[2001:DB8::1]:65535, [2001:db8:0:0:0:0:0:1]:65535"
    })
    void shouldReadAndWriteHostsWithTheirPorts(String text, String written) {
        HostPort at = HostPort.parse(text, 443);
        assertEquals(written, String.valueOf(at));
        assertEquals(at, HostPort.parse(written, 0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":80",
                "a.example:",
                "a.example:0",
                "a.example:65536",
                "a.example:080x",
                "a b:80",
                "::1",
                "::1:80",
                "[::1",
                "[::1]80",
                "[a.example]:80",
                "a.example:80:80",
                "127.1:80"
            })
    void shouldReadNothingElse(String text) {
        assertNull(HostPort.parse(text, 443));
    }

    @Test
    void shouldWantAPortWhenThereIsNoUsualOne() {
        assertNull(HostPort.parse("a.example", 0));
        assertNull(HostPort.parse("[::1]", 0));
    }

    @Test
    void shouldLeaveOutTheUsualPortInAnAuthority() {
        assertEquals("a.example", new HostPort("a.example", 443).authority(443));
        assertEquals("a.example:443", new HostPort("a.example", 443).authority(80));
        assertEquals("[0:0:0:0:0:0:0:1]", new HostPort("0:0:0:0:0:0:0:1", 80).authority(80));
    }
}

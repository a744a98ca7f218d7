package brig.protocol.address;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostNamesTest {
    @ParameterizedTest
    @CsvSource({
        "Example.COM,example.com",
        "example.com.,example.com",
        "a_b.example,a_b.example",
        "host,host",
        "127.0.0.1,127.0.0.1",
        "[::1],0:0:0:0:0:0:0:1",
        "::1,0:0:0:0:0:0:0:1",
        "xn--bcher-kva.example,xn--bcher-kva.example",
        "::ffff:10.0.0.1,10.0.0.1"
    })
    void shouldHaveOneFormWhenItIsAHost(String text, String expected) {
        assertEquals(expected, HostNames.normalize(text));
    }

    /** Text that getaddrinfo reads as an address must not pass as a name. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "a..b",
                "-a.example",
                "a-.example",
                "127.1",
                "2130706433",
                "0x7f.0.0.1",
                "0x7f000001",
                "0177.0.0.1",
                "10.0.0.256",
                "1.2.3.4.5",
                "foo.0x1",
                "a b",
                "a\nb",
                "a/b",
                "a@b",
                "a:b",
                "[1.2.3.4]",
                "[::1",
                "fe80::1%eth0",
                "[fe80::1%1]",
                "bücher.example",
                "a\u0000.example",
                "*",
                "*.example"
            })
    void shouldBeRefusedWhenItIsNoHost(String text) {
        assertNull(HostNames.normalize(text), text);
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 300})
    void shouldBeRefusedWhenALabelOrNameIsTooLong(int length) {
        assertNull(HostNames.normalize("a".repeat(length) + ".example"));
        assertNull(HostNames.normalize("a.".repeat(length) + "example".repeat(20)));
    }
}

package brig.gateway.provider.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.protocol.address.AddressGuard;
import brig.protocol.address.Cidr;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DestinationsTest {
    private static Destinations destinations(List<String> networks, String... addresses) {
        return new Destinations(
                name -> Stream.of(addresses).map(InetAddress::ofLiteral).toArray(InetAddress[]::new),
                new AddressGuard(),
                networks.stream().map(Cidr::of).toList());
    }

    private static ProviderFailure refused(Destinations destinations, String host) {
        return assertThrows(ProviderFailure.class, () -> destinations.of(host));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "10.1.2.3",
                "172.16.0.1",
                "192.168.1.1",
                "169.254.169.254",
                "100.64.0.1",
                "0.0.0.0",
                "224.0.0.1",
                "255.255.255.255",
                "::1",
                "::",
                "fe80::1",
                "fd00::1",
                "ff02::1",
                "::ffff:10.0.0.1",
                "::ffff:169.254.169.254",
                "64:ff9b::a9fe:a9fe",
                "64:ff9b::7f00:1",
                "2002:7f00:1::"
            })
    void shouldRefuseNamesThatLeadInside(String address) {
        assertEquals(
                Kind.UNTRUSTED,
                refused(destinations(List.of(), address), "api.example.com").kind());
    }

    @Test
    void shouldRefuseAnAddressInPlaceOfAName() {
        ProviderFailure failure = refused(destinations(List.of()), "169.254.169.254");
        assertEquals(Kind.UNTRUSTED, failure.kind());
        assertTrue(failure.getMessage().contains("169.254.169.254, a link-local address"), failure::getMessage);
    }

    /** Scenario: a name has an address outside and one inside, or changes from one to the other. */
    @Test
    void shouldDialOnlyWhatWasJudged() {
        assertEquals(
                List.of("1.1.1.1", "8.8.8.8", "9.9.9.9"),
                destinations(List.of(), "10.0.0.1", "1.1.1.1", "8.8.8.8", "::1", "9.9.9.9", "8.8.4.4")
                        .of("api.example.com")
                        .stream()
                        .map(InetAddress::getHostAddress)
                        .toList());
    }

    @Test
    void shouldTakeNetworksThatAreNamed() {
        Destinations named = destinations(List.of("10.1.0.0/16"), "10.1.2.3", "10.2.0.1");
        assertEquals(List.of(InetAddress.ofLiteral("10.1.2.3")), named.of("sandbox.example.com"));
        assertEquals(Kind.UNTRUSTED, refused(named, "10.2.0.1").kind());
    }

    @Test
    void shouldSayThatANameIsUnknown() {
        Destinations none = new Destinations(
                name -> {
                    throw new UnknownHostException(name);
                },
                new AddressGuard(),
                List.of());
        assertEquals(Kind.UNREACHED, refused(none, "nowhere.example.com").kind());
    }
}

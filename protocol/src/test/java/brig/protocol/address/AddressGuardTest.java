package brig.protocol.address;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressGuardTest {
    private final AddressGuard guard = new AddressGuard(Set::of, () -> 0);

    private static InetAddress address(String literal) {
        return Objects.requireNonNull(HostNames.literal(literal), literal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "127.0.0.1",
                "127.255.255.254",
                "10.0.0.1",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.0.1",
                "169.254.169.254",
                "169.254.0.1",
                "100.64.0.1",
                "100.100.100.200",
                "100.127.255.255",
                "192.0.0.192",
                "198.18.0.1",
                "198.19.255.255",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255",
                "168.63.129.16",
                "192.0.2.1",
                "203.0.113.9",
                "::",
                "::1",
                "fe80::1",
                "febf::1",
                "fec0::1",
                "fc00::1",
                "fd00:ec2::254",
                "ff02::1",
                "2001:db8::1",
                "::10.0.0.1",
                "::8.8.8.8",
                "2002:7f00:1::",
                "2002:808:808::1",
                "2001:0:1::1",
                "64:ff9b::127.0.0.1",
                "64:ff9b::a9fe:a9fe",
                "64:ff9b:1::1",
                "::ffff:0:10.0.0.1",
                "100::1"
            })
    void shouldBeClosedWhenItLeadsInside(String literal) {
        assertNotNull(guard.closed(address(literal)), literal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8.8.8.8",
                "1.1.1.1",
                "172.15.0.1",
                "172.32.0.1",
                "100.63.255.255",
                "100.128.0.1",
                "169.253.0.1",
                "198.17.0.1",
                "198.20.0.1",
                "223.255.255.255",
                "168.63.129.17",
                "2606:4700::1111",
                "2a00:1450::1",
                "64:ff9b::8.8.8.8",
                "2003::1"
            })
    void shouldBeOpenWhenItIsPublic(String literal) {
        assertNull(guard.closed(address(literal)), literal);
    }

    /** The JDK turns the literal into an IPv4 address; a resolver may still return the IPv6 form. */
    @ParameterizedTest
    @CsvSource({"127.0.0.1,false", "169.254.169.254,false", "10.0.0.1,false", "8.8.8.8,true"})
    void shouldLookIntoAMappedAddress(String inner, boolean open) throws UnknownHostException {
        byte[] bytes = new byte[16];
        bytes[10] = -1;
        bytes[11] = -1;
        System.arraycopy(address(inner).getAddress(), 0, bytes, 12, 4);
        InetAddress mapped = Inet6Address.getByAddress(null, bytes, 0);
        assertEquals(16, mapped.getAddress().length);
        assertEquals(open, guard.closed(mapped) == null);
    }

    @Test
    void shouldBeClosedWhenAnInterfaceOfThisHostHasIt() {
        AtomicReference<Set<InetAddress>> own = new AtomicReference<>(Set.of(address("8.8.4.4"), address("2003::1")));
        AtomicLong nanos = new AtomicLong();
        AddressGuard ofHost = new AddressGuard(own::get, nanos::get);
        assertEquals("an address of this host", ofHost.closed(address("8.8.4.4")));
        assertNotNull(ofHost.closed(address("2003::1")));
        assertNotNull(ofHost.closed(address("64:ff9b::8.8.4.4")));
        assertNull(ofHost.closed(address("8.8.8.8")));
        own.set(Set.of(address("8.8.8.8")));
        nanos.set(6_000_000_000L);
        assertNotNull(ofHost.closed(address("8.8.8.8")));
        assertNull(ofHost.closed(address("8.8.4.4")));
    }

    @Test
    void shouldKnowTheInterfacesOfThisHost() {
        assertNotNull(new AddressGuard().closed(address("127.0.0.1")));
    }
}

package brig.egress.policy;

import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How names are answered inside a wall. */
public enum DnsMode {
    /** Every name has an address of 198.18.0.0/15 that means nothing outside; nobody outside is asked. */
    SYNTHETIC,
    /** Names of allowed hosts are resolved by the host, others are answered as in the mode before. */
    TRUSTED,
    /** Every question is put to the host's name servers: what the agent asks leaves the host. */
    OPEN;

    /** The mode of that name in a policy; null where there is none. */
    public static @Nullable DnsMode of(String name) {
        return Stream.of(values())
                .filter(mode -> mode.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst()
                .orElse(null);
    }
}

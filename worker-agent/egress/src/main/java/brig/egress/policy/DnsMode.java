package brig.egress.policy;

import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How DNS queries from a wall are answered. */
public enum DnsMode {
    /** Every name has a synthetic address of 198.18.0.0/15; no query leaves the host. */
    SYNTHETIC,
    /** The host resolves names of allowed hosts; other names get synthetic addresses. */
    TRUSTED,
    /** Every query goes to the host's name servers, so the agent's queries leave the host. */
    OPEN;

    /** The mode of that name in a policy; null if there is none. */
    public static @Nullable DnsMode of(String name) {
        return Stream.of(values())
                .filter(mode -> mode.name().toLowerCase(Locale.ROOT).equals(name))
                .findFirst()
                .orElse(null);
    }
}

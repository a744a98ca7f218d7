package brig.gateway.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** A network cable between this host and a network namespace. It goes with the namespace. */
final class Cable {
    /** Networks for measuring, which nobody has on a way to somewhere (RFC 2544). */
    private static final String NETWORK = "198.18.";

    private final SplittableRandom random = new SplittableRandom();
    private final String subnet = NETWORK + random.nextInt(256) + ".";
    private final int first = 4 * random.nextInt(64);
    private final String device = "brig" + Integer.toHexString(random.nextInt(0x1000000));

    /** The address of the end in the namespace. */
    String far() {
        return subnet + (first + 2);
    }

    /** Lays it into the namespace of a process, as eth0. */
    void lay(long process, Path folder) throws IOException {
        ip(folder, "link", "add", device, "type", "veth", "peer", "name", "eth0", "netns", String.valueOf(process));
        ip(folder, "address", "add", subnet + (first + 1) + "/30", "dev", device);
        ip(folder, "link", "set", device, "up");
    }

    private static void ip(Path folder, String... arguments) throws IOException {
        Run run = Run.of(Stream.concat(Stream.of("ip"), Stream.of(arguments)).toList(), "", folder);
        if (run.exitCode() != 0) {
            throw new AssertionError(run);
        }
    }
}

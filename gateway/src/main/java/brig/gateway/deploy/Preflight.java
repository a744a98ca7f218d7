package brig.gateway.deploy;

import brig.protocol.VisibleText;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a host says of itself before anything is brought there.
 *
 * @param home the absolute path of the login user's folder
 * @param freeKib -1 if not known
 * @param hasPayload whether the payload that was asked for is there
 */
record Preflight(String home, String system, String machine, String libc, long freeKib, boolean hasPayload) {
    /** The payload unpacked, beside its workspaces. */
    private static final long FREE_KIB_MIN = 512 * 1024;

    private static final Pattern HOME = Pattern.compile("/[^\\p{Cntrl}]{0,1023}");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,15}");
    private static final String PREFIX = "brig-";

    /** Null if that is not what the script writes. */
    static @Nullable Preflight of(Tail out, String payload) {
        Map<String, String> said = new HashMap<>();
        for (String line : out.lines()) {
            if (line.startsWith(PREFIX)) {
                String[] sides = line.substring(PREFIX.length()).split(" ", 2);
                said.putIfAbsent(sides[0], sides.length == 2 ? sides[1].strip() : "");
            }
        }
        String home = said.getOrDefault("home", "");
        if (!said.containsKey("end") || !HOME.matcher(home).matches()) {
            return null;
        }
        String free = said.getOrDefault("free-kib", "");
        return new Preflight(
                home,
                said.getOrDefault("system", ""),
                said.getOrDefault("machine", ""),
                said.getOrDefault("libc", ""),
                NUMBER.matcher(free).matches() ? Long.parseLong(free) : -1,
                payload.equals(said.get("payload")));
    }

    /** What keeps a payload for that architecture, as uname names it, from running there; empty for nothing. */
    List<Finding> faults(String payloadMachine) {
        List<Finding> faults = new ArrayList<>();
        if (!system.equals("Linux")) {
            faults.add(fault("system", "is " + VisibleText.of(system), "choose a host with Linux"));
        } else if (!machine.equals(payloadMachine)) {
            faults.add(fault(
                    "architecture",
                    "is " + VisibleText.of(machine) + ", and this gateway's payload is for " + payloadMachine,
                    "choose a host with " + payloadMachine));
        } else if (!libc.startsWith("glibc ")) {
            faults.add(fault("libc", "is not glibc", "choose a host with glibc, such as Debian, Ubuntu or Fedora"));
        }
        if (!hasPayload && freeKib >= 0 && freeKib < FREE_KIB_MIN) {
            faults.add(fault(
                    "disk",
                    freeKib / 1024 + " MiB are free in " + VisibleText.of(home) + ", " + FREE_KIB_MIN / 1024
                            + " are needed",
                    "make room there"));
        }
        return faults;
    }

    private static Finding fault(String name, String detail, String mend) {
        return new Finding(name, FindingStatus.FAIL, detail, mend);
    }
}

package brig.protocol.api;

import brig.protocol.BrigException;
import brig.protocol.record.Default;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import brig.protocol.spawn.SpawnRequest;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * How a host is reached, and what may run there.
 *
 * @param ssh what {@code ssh} is told to connect to: {@code user@host}, or a name of {@code ssh_config}
 * @param options further arguments of {@code ssh}, such as {@code -p 2222}
 * @param labels by which a request may choose the host
 * @param workersMax live workers there; 0 for no limit of its own
 * @param idleExitMinutes how long its worker-agent stays without a worker and without a gateway; 0 for its default
 * @param controlPath the control socket of a master that the user runs; empty for one of the gateway's own
 * @param tunnelOnly whether it is for tunnels alone: nothing is brought there, and no worker runs there
 */
public record HostSettings(
        String ssh,
        @OmitEmpty List<String> options,
        @OmitEmpty List<String> labels,
        @OmitEmpty @Range(max = WORKERS_MAX) int workersMax,
        @Default("home") HostEgress egress,
        @OmitEmpty @Range(max = IDLE_MINUTES_MAX) int idleExitMinutes,
        @OmitEmpty @Default String controlPath,
        @OmitEmpty boolean tunnelOnly) {
    static final int WORKERS_MAX = 100_000;
    static final int IDLE_MINUTES_MAX = 60 * 24 * 365;
    private static final int LIST_MAX = 64;
    private static final int CHARACTERS_MAX = 1024;
    private static final Pattern TARGET = Pattern.compile("[^\\s\\p{Cntrl}-][^\\s\\p{Cntrl}]{0,254}");
    /** Options that take no value, and those that take one; all others would change what the link is. */
    private static final Pattern FLAG = Pattern.compile("-[46AaCKkqxv]+");

    private static final Pattern WITH_VALUE = Pattern.compile("-[bBcFiIJlmpo]");
    /** Keys of {@code -o} that Brig sets itself or that would start something else. */
    private static final Set<String> OURS = Set.of(
            "batchmode",
            "clearallforwardings",
            "controlmaster",
            "controlpath",
            "controlpersist",
            "dynamicforward",
            "forkafterauthentication",
            "localforward",
            "remotecommand",
            "remoteforward",
            "requesttty",
            "sessiontype",
            "stdinnull",
            "tunnel");

    /** @throws BrigException {@code INVALID_FIELD} naming the field */
    public HostSettings {
        if (!TARGET.matcher(ssh).matches()) {
            throw BrigException.invalid("ssh", "must be such as user@host");
        }
        if (labels.size() > LIST_MAX || !labels.stream().allMatch(SpawnRequest.Place::isLabel)) {
            throw BrigException.invalid(
                    "labels", "has at most " + LIST_MAX + " labels: at most 64 letters, digits and . _ = -");
        }
        if (controlPath.length() > CHARACTERS_MAX || controlPath.chars().anyMatch(Character::isISOControl)) {
            throw BrigException.invalid("control_path", "is no path");
        }
        requireOptions(options);
        options = List.copyOf(options);
        labels = labels.stream().distinct().sorted().toList();
    }

    private static void requireOptions(List<String> options) {
        if (options.size() > LIST_MAX) {
            throw BrigException.invalid("options", "has at most " + LIST_MAX + " entries");
        }
        int at = 0;
        while (at < options.size()) {
            String option = options.get(at++);
            if (FLAG.matcher(option).matches()) {
                continue;
            }
            boolean joined = option.length() > 2
                    && WITH_VALUE.matcher(option.substring(0, 2)).matches();
            boolean apart = WITH_VALUE.matcher(option).matches() && at < options.size();
            if (!joined && !apart) {
                throw BrigException.invalid(
                        "options",
                        "has '" + option + "', which is not one that a link can have; see brig host add --help");
            }
            String value = joined ? option.substring(2) : options.get(at++);
            if (value.length() > CHARACTERS_MAX || value.chars().anyMatch(Character::isISOControl)) {
                throw BrigException.invalid("options", "has a value that is too long or has control characters");
            }
            if (option.startsWith("-o") && OURS.contains(key(value))) {
                throw BrigException.invalid("options", "sets " + key(value) + ", which Brig sets itself");
            }
        }
    }

    private static String key(String assignment) {
        return assignment.strip().split("[\\s=]", 2)[0].toLowerCase(Locale.ROOT);
    }

    /** @throws BrigException {@code INVALID_FIELD} if no host may have that name */
    public static void requireName(String name) {
        if (!SpawnRequest.Place.isHostName(name) || name.equals(SpawnRequest.Place.LOCAL)) {
            throw BrigException.invalid(
                    "name", "must match [a-z0-9][a-z0-9-]{0,31}, and not be " + SpawnRequest.Place.LOCAL);
        }
    }
}

package brig.gateway.spawn;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.spawn.SpawnRequest;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the host of a spawn: the one that its request names, or of those with all its labels the one with the fewest
 * live spawns. Owned by the event loop.
 *
 * <p>Decision 0156.
 */
public final class Placement {
    private static final int AGAIN_SECONDS = 5;

    /**
     * A host that may take spawns.
     *
     * @param workersMax maximum number of its live spawns, 0 for no limit but its own
     * @param up whether it is in reach
     * @param lack what it lacks to run workers, and how to get it; null if nothing is known to be missing
     */
    public record HostOffer(
            String name,
            Set<String> labels,
            int workersMax,
            boolean up,
            @Nullable String lack) {}

    /** The hosts besides the gateway's own. */
    @FunctionalInterface
    public interface Directory {
        /** There are no others. */
        Directory NONE = List::of;

        List<HostOffer> hosts();
    }

    private final Directory directory;
    private final Spawns spawns;

    Placement(Directory directory, Spawns spawns) {
        this.directory = directory;
        this.spawns = spawns;
    }

    /**
     * The request, for one host.
     *
     * @throws BrigException {@code NOT_FOUND} if there is no such host, {@code HOST_UNREACHABLE}, {@code HOST_UNFIT},
     *     {@code MAX_WORKERS}
     */
    SpawnRequest place(SpawnRequest request) {
        SpawnRequest.Place place = request.place();
        if (place.host() == null && place.on().isEmpty()) {
            return request;
        }
        List<HostOffer> named = directory.hosts().stream()
                .filter(host -> place.host() == null || host.name().equals(place.host()))
                .filter(host -> host.labels().containsAll(new HashSet<>(place.on())))
                .toList();
        if (named.isEmpty()) {
            throw new BrigException(ErrorCode.NOT_FOUND, none(place));
        }
        List<HostOffer> up = named.stream().filter(HostOffer::up).toList();
        if (up.isEmpty()) {
            requireFit(named);
            throw new BrigException(
                    ErrorCode.HOST_UNREACHABLE,
                    "out of reach: "
                            + names(named.stream()
                                    .filter(host -> host.lack() == null)
                                    .toList()) + "; 'brig host list' says why",
                    AGAIN_SECONDS);
        }
        return up.stream()
                .filter(host -> host.workersMax() == 0 || workers(host) < host.workersMax())
                .min(Comparator.comparingLong(this::workers).thenComparing(HostOffer::name))
                .map(host -> request.at(host.name()))
                .orElseThrow(() -> new BrigException(
                        ErrorCode.MAX_WORKERS, "workersMax is reached on " + names(up), AGAIN_SECONDS));
    }

    private static void requireFit(List<HostOffer> hosts) {
        if (hosts.stream().allMatch(host -> host.lack() != null)) {
            throw new BrigException(
                    ErrorCode.HOST_UNFIT,
                    hosts.stream()
                            .map(host -> "host " + host.name() + ": " + host.lack())
                            .collect(Collectors.joining("; ")));
        }
    }

    private String none(SpawnRequest.Place place) {
        List<HostOffer> all = directory.hosts();
        return (place.host() == null
                        ? "no host has the labels " + String.join(", ", place.on())
                        : "there is no host '" + place.host() + "'")
                + (all.isEmpty() ? "; add one with 'brig host add'" : "; there are " + names(all));
    }

    private static String names(List<HostOffer> hosts) {
        return String.join(", ", hosts.stream().map(HostOffer::name).sorted().toList());
    }

    private long workers(HostOffer host) {
        return spawns.live().stream()
                .filter(spawn -> Objects.equals(spawn.host(), host.name()))
                .count();
    }
}

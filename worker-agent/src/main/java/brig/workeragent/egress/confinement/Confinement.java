package brig.workeragent.egress.confinement;

import brig.egress.confinement.SelfMeasurement;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.Posture.Property;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Judges the confinement that brig-egress measured. */
public final class Confinement {
    private static final String NONE = "0000000000000000";
    private static final Set<String> ENVIRONMENT = Set.of("", "LC_ALL", "PWD");

    private final List<Property> properties = new ArrayList<>();
    private final SelfMeasurement found;

    private Confinement(SelfMeasurement found) {
        this.found = found;
    }

    /**
     * The required properties, and whether each holds.
     *
     * @param found the measurement; a property that was not measured does not hold
     * @param uid the user that it must run as
     * @param ownUser whether that is a user of its own, without groups
     */
    public static List<Property> judge(SelfMeasurement found, int uid, boolean ownUser) {
        var judged = new Confinement(found);
        judged.judge(uid, ownUser);
        return List.copyOf(judged.properties);
    }

    private void judge(int uid, boolean ownUser) {
        String user = (uid + " ").repeat(4).strip();
        boolean groups = !ownUser
                || (found.groups().equals(user) && found.supplementary().isEmpty());
        add(
                "egress-user",
                found.users().equals(user) && groups,
                "uid " + found.users() + ", gid " + found.groups() + ", groups " + found.supplementary());
        add(
                "egress-capabilities",
                found.capabilities().equals((NONE + " ").repeat(5).strip()),
                found.capabilities());
        add("egress-no-new-privileges", found.noNewPrivileges().equals("1"), found.noNewPrivileges());
        add(
                "egress-system-calls",
                found.seccomp().equals("2")
                        && Boolean.FALSE.equals(found.startsPrograms())
                        && Boolean.FALSE.equals(found.makesLocalSockets()),
                "mode " + found.seccomp() + ", starts programs: " + shown(found.startsPrograms())
                        + ", makes local sockets: " + shown(found.makesLocalSockets()));
        add(
                "egress-environment",
                ENVIRONMENT.containsAll(List.of(found.environment().split(" ", -1))),
                found.environment());
        add("egress-processes", found.processes().equals("1 2"), "sees " + found.processes());
        add(
                "egress-files",
                found.sees() != null && found.sees().isEmpty(),
                "sees of what is closed to it " + shown(found.sees()));
    }

    private static String shown(@Nullable Object measured) {
        return measured == null ? "?" : measured.toString();
    }

    private void add(String name, boolean holds, String detail) {
        properties.add(new Property(name, FindingStatus.of(holds), detail));
    }
}

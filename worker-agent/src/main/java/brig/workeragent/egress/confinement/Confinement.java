package brig.workeragent.egress.confinement;

import brig.egress.confinement.SelfMeasurement;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.Posture.Property;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Judges what brig-egress found when it looked at itself. */
public final class Confinement {
    private static final String NONE = "0000000000000000";
    private static final Set<String> ENVIRONMENT = Set.of("", "LC_ALL", "PWD");

    private final List<Property> properties = new ArrayList<>();
    private final Map<String, @Nullable Object> found;

    private Confinement(Map<String, @Nullable Object> found) {
        this.found = found;
    }

    /**
     * Each property that brig-egress must have, and whether it was found.
     *
     * @param found of {@link SelfMeasurement}; what is missing there does not hold
     * @param uid whom it must run as
     * @param ownUser whether that is a user of its own, who is in no group
     */
    public static List<Property> judge(Map<String, @Nullable Object> found, int uid, boolean ownUser) {
        var judged = new Confinement(found);
        judged.judge(uid, ownUser);
        return List.copyOf(judged.properties);
    }

    private void judge(int uid, boolean ownUser) {
        String user = (uid + " ").repeat(4).strip();
        boolean groups = !ownUser
                || (text("groups").equals(user) && text("supplementary").isEmpty());
        add(
                "egress-user",
                text("users").equals(user) && groups,
                "uid " + text("users") + ", gid " + text("groups") + ", groups " + text("supplementary"));
        add(
                "egress-capabilities",
                text("capabilities").equals((NONE + " ").repeat(5).strip()),
                text("capabilities"));
        add("egress-no-new-privileges", text("noNewPrivileges").equals("1"), text("noNewPrivileges"));
        add(
                "egress-system-calls",
                text("seccomp").equals("2")
                        && text("startsPrograms").equals("false")
                        && text("makesLocalSockets").equals("false"),
                "mode " + text("seccomp") + ", starts programs: " + text("startsPrograms") + ", makes local sockets: "
                        + text("makesLocalSockets"));
        add(
                "egress-environment",
                ENVIRONMENT.containsAll(List.of(text("environment").split(" ", -1))),
                text("environment"));
        add("egress-processes", text("processes").equals("1 2"), "sees " + text("processes"));
        add("egress-files", text("sees").equals("[]"), "sees of what is closed to it " + text("sees"));
    }

    private String text(String key) {
        Object value = found.get(key);
        return value == null ? "?" : value.toString();
    }

    private void add(String name, boolean holds, String detail) {
        properties.add(new Property(name, FindingStatus.of(holds), detail));
    }
}

package brig.workeragent.sandbox;

import brig.protocol.control.FindingStatus;
import brig.protocol.control.Posture;
import brig.protocol.control.Posture.Property;
import brig.protocol.spawn.WallKind;
import brig.workeragent.sandbox.SandboxException.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The declared properties of one wall, and the findings of its process 1. Owned by the thread that reads the replies.
 *
 * <p>Decision 0019.
 */
final class PostureMeasurement {

    /** Names of the declared properties, in their order. */
    private final List<String> declared;

    private final WallKind kind;
    private final String limitsLevel;
    private final List<String> notHeld;
    private final List<Property> measured = new ArrayList<>();

    PostureMeasurement(WallKind kind, List<String> declared, String limitsLevel, List<String> notHeld) {
        this.kind = kind;
        this.declared = declared;
        this.notHeld = notHeld;
        this.limitsLevel = limitsLevel;
    }

    /** @param finding {@code ok} or {@code bad}, a space, and the observation */
    void handleFinding(String name, String finding) {
        String[] parts = finding.split(" ", 2);
        measured.add(new Property(name, FindingStatus.of(parts[0].equals("ok")), parts.length == 2 ? parts[1] : ""));
    }

    Posture posture() {
        return new Posture(limitsLevel, notHeld, measured, null, kind, null);
    }

    /**
     * Whether every declared property was measured and holds. Process 1 does not start the payload otherwise, but an
     * older one could measure fewer than declared here.
     */
    boolean isConfirmed() {
        return measured.stream().allMatch(Property::holds)
                && measured.stream().map(Property::name).toList().equals(declared);
    }

    SandboxException failure() {
        String failed = measured.stream()
                .filter(property -> !property.holds())
                .map(property -> property.name() + " (" + property.detail() + ")")
                .collect(Collectors.joining(", "));
        String missing = declared.stream()
                .filter(name ->
                        measured.stream().noneMatch(property -> property.name().equals(name)))
                .map(name -> name + " (not measured)")
                .collect(Collectors.joining(", "));
        String all = failed.isEmpty() || missing.isEmpty() ? failed + missing : failed + ", " + missing;
        return new SandboxException(Code.POSTURE_NOT_ENFORCED, "the wall does not enforce what it declares: " + all);
    }
}

package brig.workeragent.sandbox;

import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.Posture;
import brig.protocol.spawn.WallKind;
import brig.workeragent.limits.LimitsBackend;
import brig.workeragent.limits.ResourceLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Diagnoses whether walls work on this host, and what to do if not. What can be measured is measured inside a wall. */
public final class WallDoctor {

    private static final int TRIAL_MS = 10_000;
    private static final NetworkPlan TRIAL =
            new NetworkPlan(List.of(new NetworkPlan.Listener(false, "127.0.0.1", 3128)), null);
    private static final String INSTALL = "Install bubblewrap: sudo apt-get install bubblewrap";

    private final Launcher launcher;
    private final LauncherConfig config;
    private final LimitsBackend.Probe limits;
    private final List<Finding> findings = new ArrayList<>();

    /** @param launcher opened with the configuration */
    public WallDoctor(Launcher launcher, LauncherConfig config, LimitsBackend.Probe limits) {
        this.launcher = launcher;
        this.config = config;
        this.limits = limits;
    }

    /**
     * Runs all checks, in about the time of two worker starts. Blocks.
     *
     * @param workspace a folder that the worker's user can reach; it is bound read-only
     */
    public List<Finding> examine(Path workspace) {
        findings.clear();
        checkPrograms();
        checkNamespaces();
        checkInside(workspace);
        checkSecondKernels(workspace);
        checkLimits();
        checkSharedCounts();
        return List.copyOf(findings);
    }

    private void checkPrograms() {
        for (String name : List.of("brig-launcher", "brig-init")) {
            Path program = config.nativeFolder().resolve(name);
            boolean there = Files.isExecutable(program);
            add(name, there, program + (there ? "" : " is missing"), "Build it: ./gradlew :worker-agent:classes");
        }
        String version = bubblewrapVersion();
        add("bubblewrap", version != null, config.bwrap() + ": " + (version == null ? "missing" : version), INSTALL);
    }

    private @Nullable String bubblewrapVersion() {
        try {
            var builder = new ProcessBuilder(config.bwrap().toString(), "--version").redirectErrorStream(true);
            builder.environment().clear();
            Process process = builder.start();
            try (var output = process.getInputStream()) {
                return new String(output.readNBytes(200), StandardCharsets.UTF_8).trim();
            }
        } catch (IOException missing) {
            return null;
        }
    }

    private void checkNamespaces() {
        Path file = Path.of("/proc/sys/user/max_user_namespaces");
        try {
            // Not readString: it reads a byte first, and older kernels return a setting to the first read only.
            String most = Files.readAllLines(file).getFirst().trim();
            add("user namespaces", !most.equals("0"), "at most " + most, "Set sysctl user.max_user_namespaces above 0");
        } catch (IOException unreadable) {
            add("user namespaces", false, "cannot read " + file, "Use a kernel with user namespaces");
        }
    }

    private void checkInside(Path workspace) {
        WallProfile profile = trial(workspace);
        List<Posture.Property> properties = build("trial wall", profile);
        properties.forEach(this::add);
        if (properties.isEmpty()) return;
        build("trial wall with egress", profile.withNetwork(TRIAL)).stream()
                .filter(property -> property.name().equals(DeclaredPosture.EGRESS_NETWORK))
                .forEach(this::add);
    }

    private interface Requirement {
        void check() throws SandboxException;
    }

    /** These are optional: a host without them is fit. */
    private void checkSecondKernels(Path workspace) {
        checkKind(workspace, WallKind.GVISOR, config.gvisor()::require, config.gvisor()::version);
        checkKind(workspace, WallKind.VM, config.machines()::require, config.machines()::accelerator);
    }

    private void checkKind(Path workspace, WallKind kind, Requirement requirement, Supplier<String> what) {
        try {
            requirement.check();
        } catch (SandboxException missing) {
            findings.add(new Finding(
                    kind.word(),
                    FindingStatus.OK,
                    "not here, so --wall " + kind.word() + " is refused: " + missing.getMessage(),
                    null));
            return;
        }
        long beganNs = System.nanoTime();
        List<Posture.Property> properties =
                build("trial wall of the kind " + kind.word(), trial(workspace).withKind(kind));
        if (properties.isEmpty()) return;
        long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
        add(kind.word(), true, "stands (" + what.get() + "); from the start to the end of a wall: " + ms + " ms", null);
    }

    private static WallProfile trial(Path workspace) {
        WallProfile usual = WallProfile.of(workspace);
        return new WallProfile(
                workspace,
                true,
                List.of(),
                usual.environment(),
                usual.hostname(),
                usual.tmpBytesMax(),
                usual.homeBytesMax(),
                false,
                NetworkPlan.NONE);
    }

    /** The posture of a trial wall; empty if it cannot be built. */
    private List<Posture.Property> build(String name, WallProfile profile) {
        var request =
                new LaunchRequest("doctor", profile, ResourceLimits.DEFAULT, List.of("/bin/true"), false, TRIAL_MS);
        try {
            BubblewrapProcess process = launcher.launch(request).get(TRIAL_MS * 2L, TimeUnit.MILLISECONDS);
            process.stdout().close();
            process.stderr().close();
            process.exit().get(TRIAL_MS, TimeUnit.MILLISECONDS);
            process.network().close();
            add(name, true, "stands; runs as uid " + config.identity().uid() + " of the host", null);
            return process.posture().properties();
        } catch (ExecutionException failed) {
            add(name, false, reason(failed), null);
        } catch (TimeoutException failed) {
            add(name, false, failed.toString(), null);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return List.of();
    }

    private void add(Posture.Property property) {
        add(property.name(), property.holds(), property.detail(), null);
    }

    private static String reason(ExecutionException failed) {
        return failed.getCause() instanceof SandboxException refused
                ? refused.code() + ": " + refused.getMessage()
                : String.valueOf(failed.getCause());
    }

    private void checkLimits() {
        LimitsBackend backend = limits.backend();
        var words = new ArrayList<String>();
        words.add(backend.level() + ", " + backend.place());
        backend.gaps().forEach(gap -> words.add("not held: " + gap));
        limits.refusals().forEach(refusal -> words.add("not used: " + refusal));
        boolean weak = !backend.gaps().isEmpty();
        findings.add(new Finding(
                "resource limits",
                weak ? FindingStatus.WARN : FindingStatus.OK,
                String.join("; ", words),
                weak ? "Run where systemd is, or as a service with Delegate=yes, which holds memory and CPU" : null));
    }

    private void checkSharedCounts() {
        long each = launcher.counts().inotifyInstances();
        String inotify = each == 0
                ? "inotify is not counted"
                : "each worker gets " + each + " of the " + launcher.counts().inotifyInstancesOfUser()
                        + " inotify instances of uid " + config.identity().uid();
        boolean alone = config.identity().switched();
        findings.add(new Finding(
                "counted for the user",
                alone ? FindingStatus.OK : FindingStatus.WARN,
                inotify + "; not held: " + config.identity().sharedCounts(),
                alone ? null : "Run Brig as root, whose workers have a user of their own"));
    }

    private void add(String name, boolean fine, String detail, @Nullable String mend) {
        findings.add(new Finding(name, FindingStatus.of(fine), detail, fine ? null : mend));
    }
}

package brig.project;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.egress.policy.DnsMode;
import brig.egress.policy.Narrowing;
import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import brig.protocol.record.Settings;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A project's own settings, in a file {@code brig.json} or {@code gondolin.json} of its folder: which of the
 * permissions in the operator's policy its agents need. Unknown keys are ignored and reported, as it may be written for
 * another program; none can permit anything.
 *
 * <p>Decision 0047.
 *
 * @param narrowing of the network
 * @param readOnly whether it is read-only, for each path inside that it names; null leaves mounts unchanged
 * @param rootOverlay whether its root is to be writable, until the session ends
 * @param effects of each key that is there, and of those whose absence denies
 */
public record ProjectSettings(
        Narrowing narrowing, @Nullable Map<String, Boolean> readOnly, boolean rootOverlay, List<KeyEffect> effects) {
    /** The files, of which the first counts. The last one is beside OpenCode's own project settings. */
    public static final List<String> NAMES = List.of("brig.json", "gondolin.json", ".opencode/gondolin.json");

    public static final int BYTES_MAX = 64 * 1024;

    private static final String ALLOWED_HOSTS = "allowedHosts";
    private static final String SECRETS = "secrets";
    private static final String DNS_MODE = "dnsMode";
    private static final String AUDIT_NETWORK = "auditNetwork";
    private static final String MOUNTS = "mounts";
    private static final String ROOT_OVERLAY = "rootOverlay";
    private static final String AUDIT_FILESYSTEM = "auditFilesystem";
    private static final String POLICYS = "the operator's policy sets it";
    /** Why another program's key has no effect, and what to do instead. */
    private static final Map<String, List<String>> FOREIGN = Map.of(
            "imagePath",
            List.of(
                    "a project cannot choose its programs",
                    "'brig image pull' takes in an image, 'brig run --root oci:NAME' runs in it"),
            "env",
            List.of(POLICYS, "'env' of the agent's profile sets variables, 'environment' of the policy lets them in"),
            "cpus",
            List.of(POLICYS, "'cpuPercentMax' of the policy"),
            "memory",
            List.of(POLICYS, "'memoryBytesMax' of the policy"),
            "warmPool",
            List.of("virtual machines go on from one image, so none has to be kept", "'brig run --wall vm'"));

    /**
     * The file.
     *
     * @param mounts null leaves them as they are
     */
    @Settings
    @Extensible
    private record Keys(
            List<String> allowedHosts,
            Map<String, Secret> secrets,
            @Nullable DnsMode dnsMode,
            boolean auditNetwork,
            @Nullable Map<String, Mount> mounts,
            boolean rootOverlay,
            boolean auditFilesystem) {

        @Extensible
        private record Secret(@Nullable String envVar, List<String> hosts) {}

        @Extensible
        private record Mount(@Nullable String hostPath, boolean readonly) {
            private KeyEffect effect(String target) {
                String key = MOUNTS + "." + target;
                String access = readonly ? ", read-only" : "";
                if (target.equals(MountTargets.WORKSPACE)) {
                    return hostPath == null || hostPath.equals(".") || hostPath.equals("./")
                            ? KeyEffect.yes(key, "is the folder of the session" + access)
                            : KeyEffect.no(
                                    key + ".hostPath",
                                    "the folder of the session is there" + access,
                                    "'brig run --workspace FOLDER' chooses the folder");
                }
                if (!MountTargets.isPlain(target)) {
                    return KeyEffect.no(key, "it is no absolute path without . and ..", null);
                }
                String own = MountTargets.reserved(Path.of(target));
                if (own != null) {
                    return KeyEffect.no(
                            key,
                            "nothing is mounted in the wall's own " + own,
                            "'mounts' of the policy has it elsewhere, such as below /opt");
                }
                return KeyEffect.withinPolicy(
                        key, "is mounted if the policy mounts something there, with the policy's hostPath" + access);
            }
        }

        /** By the name inside. A secret may also be named by the variable that it comes from. */
        private Map<String, List<String>> secretHosts() {
            Map<String, List<String>> hosts = new TreeMap<>();
            secrets.forEach((inside, secret) -> {
                hosts.put(inside, secret.hosts());
                hosts.putIfAbsent(secret.envVar() == null ? inside : secret.envVar(), secret.hosts());
            });
            return hosts;
        }

        private @Nullable Map<String, Boolean> readOnly() {
            if (mounts == null) {
                return null;
            }
            Map<String, Boolean> readOnly = new TreeMap<>();
            mounts.forEach((target, mount) -> readOnly.put(target, mount.readonly()));
            return readOnly;
        }
    }

    /**
     * The settings in a file.
     *
     * @param content its beginning, at least one byte more than {@link #BYTES_MAX} if it has more
     * @throws BrigException or IllegalArgumentException, naming the key
     */
    public static ProjectSettings read(byte[] content) {
        if (content.length > BYTES_MAX) {
            throw new IllegalArgumentException("it is larger than " + BYTES_MAX + " bytes");
        }
        JsonObject values = JsonObject.readCommented(new String(content, UTF_8));
        Keys keys = values.as(Keys.class);
        return new ProjectSettings(
                new Narrowing(keys.allowedHosts(), keys.secretHosts(), keys.dnsMode(), keys.auditNetwork()),
                keys.readOnly(),
                keys.rootOverlay(),
                effects(values, keys));
    }

    private static List<KeyEffect> effects(JsonObject values, Keys keys) {
        List<KeyEffect> effects = new ArrayList<>();
        effects.add(
                keys.allowedHosts().isEmpty()
                        ? KeyEffect.yes(ALLOWED_HOSTS, "names none, so that no host can be reached")
                        : KeyEffect.withinPolicy(ALLOWED_HOSTS, "are reached as far as the policy allows them, too"));
        if (keys.secrets().isEmpty()) {
            effects.add(KeyEffect.yes(SECRETS, "names none, so that no host gets one"));
        }
        new TreeMap<>(keys.secrets()).forEach((name, secret) -> {
            String key = SECRETS + "." + name;
            effects.add(KeyEffect.withinPolicy(
                    key, "goes to hosts that the policy names for it, too, which also says where its value is"));
            effects.addAll(unknown(key + ".", values.object(SECRETS).object(name), Keys.Secret.class));
        });
        if (keys.dnsMode() != null) {
            effects.add(KeyEffect.withinPolicy(DNS_MODE, "counts if it is stricter than that of the policy"));
        }
        if (values.has(AUDIT_NETWORK)) {
            effects.add(
                    keys.auditNetwork()
                            ? KeyEffect.yes(AUDIT_NETWORK, "puts allowed requests into the audit: brig audit")
                            : KeyEffect.withinPolicy(AUDIT_NETWORK, "leaves it to the policy"));
        }
        if (keys.mounts() != null) {
            new TreeMap<>(keys.mounts()).forEach((target, mount) -> {
                effects.add(mount.effect(target));
                effects.addAll(unknown(
                        MOUNTS + "." + target + ".", values.object(MOUNTS).object(target), Keys.Mount.class));
            });
        }
        if (values.has(ROOT_OVERLAY)) {
            effects.add(
                    keys.rootOverlay()
                            ? KeyEffect.withinPolicy(
                                    ROOT_OVERLAY,
                                    "lets sessions write into an image that is their root (--root oci:NAME), until they"
                                            + " end, if the policy's rootOverlay is discard or keep")
                            : KeyEffect.yes(ROOT_OVERLAY, "is off, so a root stays read-only unless a session asks"));
        }
        if (values.has(AUDIT_FILESYSTEM)) {
            effects.add(
                    keys.auditFilesystem()
                            ? KeyEffect.no(
                                    AUDIT_FILESYSTEM, "files are not audited", "'brig diff ID' shows what changed")
                            : KeyEffect.yes(AUDIT_FILESYSTEM, "is off: files are not audited"));
        }
        effects.addAll(unknown("", values, Keys.class));
        return effects;
    }

    private static List<KeyEffect> unknown(String above, JsonObject values, Class<? extends Record> known) {
        Set<String> names = new TreeSet<>(values.names());
        Stream.of(known.getRecordComponents()).map(RecordComponent::getName).forEach(names::remove);
        return names.stream().map(name -> unknown(above, name)).toList();
    }

    private static KeyEffect unknown(String above, String name) {
        List<String> foreign = above.isEmpty() ? FOREIGN.get(name) : null;
        return foreign == null
                ? KeyEffect.unknown(above + name)
                : KeyEffect.no(name, foreign.getFirst(), foreign.getLast());
    }
}

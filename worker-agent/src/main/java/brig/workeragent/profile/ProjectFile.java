package brig.workeragent.profile;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.egress.policy.DnsMode;
import brig.egress.policy.Narrowing;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Extensible;
import brig.protocol.record.Settings;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.PlainFile;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A project's own settings, in a file {@code brig.json} or {@code gondolin.json} of its folder: which of the
 * permissions in the operator's policy its agents need. It can only narrow, since agents can write it. Unknown keys are
 * ignored and reported, as it may be written for another program; none can permit anything.
 *
 * <p>Decision 0047.
 *
 * @param narrowing of the network
 * @param readOnly whether it is read-only, for each path inside that it names; null leaves mounts unchanged
 * @param notices the settings without effect, in words
 */
record ProjectFile(Narrowing narrowing, @Nullable Map<String, Boolean> readOnly, List<String> notices) {
    /** The last one is beside OpenCode's own project settings. */
    private static final List<String> NAMES = List.of("brig.json", "gondolin.json", ".opencode/gondolin.json");

    private static final String NO_EFFECT = " has no effect, for a wall's root is read-only and files are not audited";
    private static final Set<String> KNOWN = Stream.of(Keys.class.getRecordComponents())
            .map(RecordComponent::getName)
            .collect(Collectors.toSet());
    private static final int NOTICES_MAX = 8;
    private static final int KEY_LENGTH_MAX = 100;
    private static final int BYTES_MAX = 64 * 1024;

    /** The first that exists; null for none. @throws BrigException {@code INVALID_POLICY}, naming file and key */
    static @Nullable ProjectFile find(Path workspace) {
        for (String name : NAMES) {
            try {
                byte[] content = PlainFile.read(workspace, name, BYTES_MAX + 1);
                if (content != null) {
                    return read(name, content);
                }
            } catch (IOException | BrigException | IllegalArgumentException e) {
                throw new BrigException(
                        ErrorCode.INVALID_POLICY, "the project's " + name + " cannot be used: " + e.getMessage());
            }
        }
        return null;
    }

    private static ProjectFile read(String name, byte[] content) {
        if (content.length > BYTES_MAX) {
            throw new IllegalArgumentException("it is larger than " + BYTES_MAX + " bytes");
        }
        return read(name, JsonObject.readCommented(new String(content, UTF_8)));
    }

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
        private record Mount(boolean readonly) {}

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

    private static ProjectFile read(String name, JsonObject values) {
        Keys keys = values.as(Keys.class);
        return new ProjectFile(
                new Narrowing(keys.allowedHosts(), keys.secretHosts(), keys.dnsMode(), keys.auditNetwork()),
                keys.readOnly(),
                notices("the project's " + name + ": ", keys, values.names()));
    }

    private static List<String> notices(String file, Keys keys, Set<String> names) {
        List<String> notices = new ArrayList<>();
        if (keys.rootOverlay()) {
            notices.add(file + "rootOverlay" + NO_EFFECT);
        }
        if (keys.auditFilesystem()) {
            notices.add(file + "auditFilesystem" + NO_EFFECT);
        }
        names.stream()
                .filter(key -> !KNOWN.contains(key))
                .sorted()
                .limit(NOTICES_MAX)
                .forEach(key -> notices.add(file + "the key '"
                        + key.substring(0, Math.min(key.length(), KEY_LENGTH_MAX)) + "' is not known here"));
        return notices;
    }

    /** The narrowed confinement. */
    Confinement narrow(Confinement may) {
        List<Confinement.Mount> mounts = new ArrayList<>();
        for (Confinement.Mount mount : may.mounts()) {
            Boolean asked = readOnly == null
                    ? Boolean.FALSE
                    : readOnly.get(mount.target().toString());
            if (asked != null) {
                mounts.add(new Confinement.Mount(mount.hostPath(), mount.target(), mount.readOnly() || asked));
            }
        }
        boolean workspaceReadOnly =
                may.workspaceReadOnly() || (readOnly != null && Objects.equals(readOnly.get(Policy.WORKSPACE), true));
        return new Confinement(
                workspaceReadOnly,
                mounts,
                may.variables(),
                may.privateFiles(),
                may.limits(),
                may.nested(),
                narrowing.of(may.egress()),
                may.wall());
    }
}

package brig.workeragent.profile;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.egress.policy.DnsMode;
import brig.egress.policy.Narrowing;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.JsonObject;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.PlainFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
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

    private static final List<String> WITHOUT_EFFECT = List.of("rootOverlay", "auditFilesystem");
    private static final Set<String> KNOWN =
            Set.of("allowedHosts", "secrets", "dnsMode", "auditNetwork", "mounts", "rootOverlay", "auditFilesystem");
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

    private static List<String> notices(String name, JsonObject values) {
        List<String> notices = new ArrayList<>();
        for (String key : WITHOUT_EFFECT) {
            if (values.flag(key)) {
                notices.add("the project's " + name + ": " + key
                        + " has no effect, for a wall's root is read-only and files are not audited");
            }
        }
        values.names().stream()
                .filter(key -> !KNOWN.contains(key))
                .sorted()
                .limit(NOTICES_MAX)
                .forEach(key -> notices.add("the project's " + name + ": the key '"
                        + key.substring(0, Math.min(key.length(), KEY_LENGTH_MAX)) + "' is not known here"));
        return notices;
    }

    private static ProjectFile read(String name, JsonObject values) {
        return new ProjectFile(
                new Narrowing(
                        texts("allowedHosts", values.value("allowedHosts")),
                        secretHosts(values.value("secrets")),
                        dns(values.value("dnsMode")),
                        values.flag("auditNetwork")),
                mounts(values.value("mounts")),
                notices(name, values));
    }

    private static List<String> texts(String key, @Nullable Object value) {
        List<String> texts = new ArrayList<>();
        List<?> items = value == null ? List.of() : typed(key, value, List.class);
        for (Object item : items) {
            texts.add(typed(key, item, String.class));
        }
        return texts;
    }

    /** By the name inside. A secret may also be named by its source variable. */
    private static Map<String, List<String>> secretHosts(@Nullable Object value) {
        Map<String, List<String>> hosts = new TreeMap<>();
        JsonObject secrets = object("secrets", value);
        for (String inside : secrets.names()) {
            String key = "secrets." + inside;
            JsonObject secret = object(key, secrets.value(inside));
            Object variable = secret.value("envVar");
            String name = variable == null ? inside : typed(key, variable, String.class);
            List<String> wanted = texts(key + ".hosts", secret.value("hosts"));
            hosts.put(inside, wanted);
            hosts.putIfAbsent(name, wanted);
        }
        return hosts;
    }

    private static @Nullable DnsMode dns(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        DnsMode mode = DnsMode.of(typed("dnsMode", value, String.class));
        if (mode == null) {
            throw new IllegalArgumentException("dnsMode: must be synthetic, trusted or open");
        }
        return mode;
    }

    private static @Nullable Map<String, Boolean> mounts(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        Map<String, Boolean> readOnly = new TreeMap<>();
        JsonObject mounts = object("mounts", value);
        for (String target : mounts.names()) {
            JsonObject mount = object("mounts." + target, mounts.value(target));
            readOnly.put(target, mount.flag("readonly"));
        }
        return readOnly;
    }

    private static JsonObject object(String key, @Nullable Object value) {
        return value == null ? JsonObject.EMPTY : typed(key, value, JsonObject.class);
    }

    private static <T> T typed(String key, @Nullable Object value, Class<T> type) {
        if (!type.isInstance(value)) {
            String kind = type == JsonObject.class ? "an object" : type == List.class ? "a list" : "a string";
            throw new IllegalArgumentException(key + ": must be " + kind);
        }
        return type.cast(value);
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
                narrowing.of(may.egress()));
    }
}

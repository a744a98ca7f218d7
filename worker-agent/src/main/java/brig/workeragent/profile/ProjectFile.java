package brig.workeragent.profile;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.egress.policy.DnsMode;
import brig.egress.policy.Narrowing;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.workeragent.wall.Confinement;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a project says of itself, in a file {@code brig.json} or {@code gondolin.json} of its folder: which of the things
 * that the operator's policy allows its agents need. It only takes away, for agents can write it. Keys that are not
 * known are ignored, as it may be written for another program, and told: none could open anything.
 *
 * <p>Decision 0047.
 *
 * @param narrowing of the network
 * @param readOnly for each place inside that it names, whether it is only to be read; null leaves mounts as they are
 * @param notices what of it has no effect, in words
 */
record ProjectFile(Narrowing narrowing, @Nullable Map<String, Boolean> readOnly, List<String> notices) {
    private static final List<String> NAMES = List.of("brig.json", "gondolin.json");
    /** Where OpenCode's own settings of a project lie. */
    private static final String FOLDER = ".opencode";

    private static final List<String> WITHOUT_EFFECT = List.of("rootOverlay", "auditFilesystem");
    private static final Set<String> KNOWN =
            Set.of("allowedHosts", "secrets", "dnsMode", "auditNetwork", "mounts", "rootOverlay", "auditFilesystem");
    private static final int NOTICES_MAX = 8;
    private static final int KEY_LENGTH_MAX = 100;
    private static final int BYTES_MAX = 64 * 1024;

    /** The first that there is; null for none. @throws BrigException {@code INVALID_POLICY}, naming file and key */
    static @Nullable ProjectFile find(Path workspace) {
        for (String name : NAMES) {
            Path file = workspace.resolve(name);
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                return read(
                        name,
                        () -> Files.newByteChannel(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)));
            }
        }
        return findBelow(workspace);
    }

    /** The folder between may be a link by now, so nothing is opened through its name. */
    private static @Nullable ProjectFile findBelow(Path workspace) {
        if (!Files.isDirectory(workspace.resolve(FOLDER), LinkOption.NOFOLLOW_LINKS)) {
            return null;
        }
        try (DirectoryStream<Path> top = Files.newDirectoryStream(workspace)) {
            if (!(top instanceof SecureDirectoryStream<Path> secure)) {
                return null;
            }
            try (SecureDirectoryStream<Path> folder =
                    secure.newDirectoryStream(Path.of(FOLDER), LinkOption.NOFOLLOW_LINKS)) {
                Path name = Path.of(NAMES.getLast());
                boolean there = isFile(folder, name);
                return !there
                        ? null
                        : read(
                                FOLDER + "/" + name,
                                () -> folder.newByteChannel(
                                        name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)));
            }
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.INVALID_POLICY, "the project's " + FOLDER + " cannot be read: " + e.getMessage());
        }
    }

    private static boolean isFile(SecureDirectoryStream<Path> folder, Path name) {
        try {
            return folder.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .readAttributes()
                    .isRegularFile();
        } catch (IOException none) {
            return false;
        }
    }

    private interface Source {
        SeekableByteChannel open() throws IOException;
    }

    private static ProjectFile read(String name, Source source) {
        try (InputStream bytes = Channels.newInputStream(source.open())) {
            byte[] content = bytes.readNBytes(BYTES_MAX + 1);
            if (content.length > BYTES_MAX) {
                throw new IllegalArgumentException("it is larger than " + BYTES_MAX + " bytes");
            }
            return read(name, Json.parseCommented(new String(content, UTF_8)));
        } catch (IOException | BrigException | IllegalArgumentException e) {
            throw new BrigException(
                    ErrorCode.INVALID_POLICY, "the project's " + name + " cannot be used: " + e.getMessage());
        }
    }

    private static List<String> notices(String name, Map<String, @Nullable Object> values) {
        List<String> notices = new ArrayList<>();
        for (String key : WITHOUT_EFFECT) {
            if (Boolean.TRUE.equals(values.get(key))) {
                notices.add("the project's " + name + ": " + key
                        + " has no effect, for a wall's root is read-only and files are not audited");
            }
        }
        values.keySet().stream()
                .filter(key -> !KNOWN.contains(key))
                .sorted()
                .limit(NOTICES_MAX)
                .forEach(key -> notices.add("the project's " + name + ": the key '"
                        + key.substring(0, Math.min(key.length(), KEY_LENGTH_MAX)) + "' is not known here"));
        return notices;
    }

    private static ProjectFile read(String name, Map<String, @Nullable Object> values) {
        return new ProjectFile(
                new Narrowing(
                        texts("allowedHosts", values.get("allowedHosts")),
                        secretHosts(values.get("secrets")),
                        dns(values.get("dnsMode")),
                        Boolean.TRUE.equals(values.get("auditNetwork"))),
                mounts(values.get("mounts")),
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

    /** By the name inside. A secret may also be named by the variable that it comes from. */
    private static Map<String, List<String>> secretHosts(@Nullable Object value) {
        Map<String, List<String>> hosts = new TreeMap<>();
        for (Map.Entry<?, ?> entry : object("secrets", value).entrySet()) {
            String key = "secrets." + entry.getKey();
            Map<?, ?> secret = object(key, entry.getValue());
            Object variable = secret.get("envVar");
            String name = variable == null ? String.valueOf(entry.getKey()) : typed(key, variable, String.class);
            List<String> wanted = texts(key + ".hosts", secret.get("hosts"));
            hosts.put(String.valueOf(entry.getKey()), wanted);
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
        for (Map.Entry<?, ?> entry : object("mounts", value).entrySet()) {
            Map<?, ?> mount = object("mounts." + entry.getKey(), entry.getValue());
            readOnly.put(String.valueOf(entry.getKey()), Boolean.TRUE.equals(mount.get("readonly")));
        }
        return readOnly;
    }

    private static Map<?, ?> object(String key, @Nullable Object value) {
        return value == null ? Map.of() : typed(key, value, Map.class);
    }

    private static <T> T typed(String key, @Nullable Object value, Class<T> type) {
        if (!type.isInstance(value)) {
            String kind = type == Map.class ? "an object" : type == List.class ? "a list" : "a string";
            throw new IllegalArgumentException(key + ": must be " + kind);
        }
        return type.cast(value);
    }

    /** What is left of that. */
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

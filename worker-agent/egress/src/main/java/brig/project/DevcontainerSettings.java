package brig.project;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.Setup;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The container that a project describes for editors ({@code devcontainer.json}), and what Brig does with each key. A project
 * is not trusted: its commands run behind the wall only, nothing is mounted or let through, and an image is one that an
 * admin took in.
 *
 * <p>Decisions 0047, 0215.
 *
 * @param image null if it names none that can be fetched
 * @param needsOther whether it wants a root that Brig does not make, so that its commands would not do what is meant
 * @param setup its variables and commands
 * @param effects of each key that is there
 */
public record DevcontainerSettings(
        @Nullable ImageReference image, boolean needsOther, Setup setup, List<KeyEffect> effects) {
    /** The files, of which the first counts. */
    public static final List<String> NAMES = List.of(".devcontainer/devcontainer.json", ".devcontainer.json");

    public static final int BYTES_MAX = 64 * 1024;

    private static final String IMAGE = "image";
    private static final Set<String> OTHER_ROOTS = Set.of("build", "dockerFile", "dockerComposeFile");
    /** In this order, which is that of the specification. The later ones of variables count. */
    private static final List<String> COMMANDS =
            List.of("onCreateCommand", "updateContentCommand", "postCreateCommand", "postStartCommand");

    private static final List<String> VARIABLES = List.of("containerEnv", "remoteEnv");
    /** What a text may refer to: https://containers.dev/implementors/json_reference/#variables-in-devcontainerjson. */
    private static final String REFERENCE = "${";

    private static final String FOLDER = "${containerWorkspaceFolder}";
    private static final String FOLDER_NAME = "${containerWorkspaceFolderBasename}";
    private static final String WORKSPACE_FOLDER = "workspaceFolder";

    /** What is so in every session, or is for others. */
    private static final Map<String, String> HARMLESS = Map.of(
            "name", "is for people",
            "$schema", "is for editors",
            "customizations", "is for editors",
            "init", "is so always: process 1 of a wall reaps");

    /** Why keys have no effect, and what to do instead. */
    private static final Map<String, List<String>> WITHOUT_EFFECT = withoutEffect();

    private static Map<String, List<String>> withoutEffect() {
        Map<String, List<String>> all = new LinkedHashMap<>();
        putAll(
                all,
                "Brig builds no images",
                "build it elsewhere, 'docker save' it, and 'brig image pull docker-archive:FILE'",
                "build",
                "dockerFile",
                "context",
                "dockerComposeFile",
                "service",
                "runServices",
                "features",
                "overrideFeatureInstallOrder");
        putAll(all, "a project cannot mount folders of the host", "'mounts' of the policy", "mounts", "workspaceMount");
        putAll(
                all,
                "nobody attaches an editor",
                "'brig exec ID -- COMMAND' runs one in the session's workspace, behind its wall",
                "postAttachCommand");
        putAll(all, "nothing of a project runs outside the wall", null, "initializeCommand");
        putAll(
                all,
                "a project cannot make its wall weaker",
                "'brig agents' lists policies, '--policy NAME' chooses one",
                "runArgs",
                "privileged",
                "capAdd",
                "securityOpt");
        putAll(
                all,
                "ports are not forwarded by themselves",
                "'brig port ID PORT'",
                "forwardPorts",
                "appPort",
                "portsAttributes",
                "otherPortsAttributes");
        putAll(
                all,
                "the user in a wall is always the same",
                null,
                "containerUser",
                "remoteUser",
                "updateRemoteUserUID",
                "userEnvProbe");
        putAll(all, "the policy has the secrets", "'secrets' in 'egress' of the policy", "secrets");
        putAll(all, "the policy has the limits", "'memoryBytesMax' and others of the policy", "hostRequirements");
        putAll(all, "a session runs its agent, and ends with it", null, "overrideCommand", "shutdownAction", "waitFor");
        return Map.copyOf(all);
    }

    private static void putAll(Map<String, List<String>> all, String why, @Nullable String instead, String... keys) {
        for (String key : keys) {
            all.put(key, instead == null ? List.of(why) : List.of(why, instead));
        }
    }

    /**
     * The settings in a file.
     *
     * @param content its beginning, at least one byte more than {@link #BYTES_MAX} if it has more
     * @throws BrigException or IllegalArgumentException, saying why it is none
     */
    public static DevcontainerSettings read(byte[] content) {
        if (content.length > BYTES_MAX) {
            throw new IllegalArgumentException("it is larger than " + BYTES_MAX + " bytes");
        }
        JsonObject values = JsonObject.readCommented(new String(content, StandardCharsets.UTF_8));
        ImageReference image = values.has(IMAGE) ? image(values.text(IMAGE, "")) : null;
        List<KeyEffect> effects = new ArrayList<>();
        Map<String, String> variables = new TreeMap<>();
        VARIABLES.forEach(key -> addVariables(key, values, variables, effects));
        List<String> lines = new ArrayList<>();
        COMMANDS.forEach(key -> addCommands(key, values, lines, effects));
        for (String key : new TreeSet<>(values.names())) {
            if (!VARIABLES.contains(key) && !COMMANDS.contains(key)) {
                effects.add(effect(key, values, image));
            }
        }
        boolean needsOther =
                image == null && (values.has(IMAGE) || OTHER_ROOTS.stream().anyMatch(values::has));
        return new DevcontainerSettings(image, needsOther, new Setup(variables, lines), effects);
    }

    /** Values are never shown: they may be secrets. */
    private static void addVariables(
            String key, JsonObject values, Map<String, String> variables, List<KeyEffect> effects) {
        JsonObject all = values.object(key);
        for (String name : new TreeSet<>(all.names())) {
            String at = key + "." + name;
            String value = all.value(name) instanceof String text ? resolved(text) : null;
            if (!Setup.isVariable(name) || value == null || value.contains(REFERENCE)) {
                effects.add(KeyEffect.no(
                        at,
                        "it is no name with a text, or refers to what is outside of the wall",
                        "'brig run --env NAME=VALUE'"));
            } else {
                variables.put(name, value);
                effects.add(KeyEffect.withinPolicy(
                        at, "is set with 'brig run --devcontainer', if 'environment' of the policy lets it in"));
            }
        }
    }

    private static String resolved(String text) {
        return text.replace(FOLDER, MountTargets.WORKSPACE).replace(FOLDER_NAME, MountTargets.WORKSPACE.substring(1));
    }

    /** A text is for the shell, a list is a program with its arguments, and an object has several of these. */
    private static void addCommands(String key, JsonObject values, List<String> lines, List<KeyEffect> effects) {
        if (!values.has(key)) {
            return;
        }
        List<String> added = new ArrayList<>();
        boolean isWhole = values.value(key) instanceof JsonObject
                ? values.object(key).names().stream().allMatch(name -> addLine(values.object(key), name, added))
                : addLine(values, key, added);
        if (isWhole) {
            lines.addAll(added);
            effects.add(KeyEffect.yes(key, "is run before the agent with 'brig run --devcontainer', behind its wall"));
        } else {
            effects.add(KeyEffect.no(
                    key, "it is no command, or refers to what is outside of the wall", "'brig run --prepare LINE'"));
        }
    }

    private static boolean addLine(JsonObject values, String key, List<String> lines) {
        String line;
        if (values.value(key) instanceof List<?> words) {
            if (!words.stream().allMatch(String.class::isInstance)) {
                return false;
            }
            line = values.texts(key).stream().map(DevcontainerSettings::quoted).collect(Collectors.joining(" "));
        } else if (values.value(key) instanceof String text) {
            line = text;
        } else {
            return false;
        }
        line = resolved(line);
        boolean isUsable = !line.isBlank() && !line.contains("${localEnv:") && !line.contains("${localWorkspaceFolder");
        if (isUsable) {
            lines.add(line);
        }
        return isUsable;
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    private static @Nullable ImageReference image(String text) {
        try {
            ImageReference image = ImageReference.parse(text);
            // A folder or file of this host is none that a project may name.
            return image.isInRegistry() && image.usualName() != null ? image : null;
        } catch (BrigException none) {
            return null;
        }
    }

    private static KeyEffect effect(String key, JsonObject values, @Nullable ImageReference image) {
        String harmless = HARMLESS.get(key);
        if (harmless != null) {
            return KeyEffect.yes(key, harmless);
        }
        List<String> why = WITHOUT_EFFECT.get(key);
        if (why != null) {
            return KeyEffect.no(key, why.getFirst(), why.size() == 1 ? null : why.getLast());
        }
        return switch (key) {
            case IMAGE ->
                image == null
                        ? KeyEffect.no(key, "it is no image of a registry", "'brig run --root oci:NAME'")
                        : KeyEffect.withinPolicy(
                                key,
                                "is the root oci:" + image.usualName()
                                        + " with 'brig run --devcontainer', once an admin"
                                        + " took it in: brig image pull " + image.written());
            case WORKSPACE_FOLDER ->
                MountTargets.WORKSPACE.equals(values.text(key))
                        ? KeyEffect.yes(key, "is the folder of the session")
                        : KeyEffect.no(key, "the folder of the session is at " + MountTargets.WORKSPACE, null);
            default -> KeyEffect.unknown(key);
        };
    }
}

package brig.project;

import brig.protocol.BrigException;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The container that a project describes for editors ({@code devcontainer.json}), and what Brig does with each key. A project
 * is not trusted: nothing in it is run, mounted or let through, and an image is one that an admin took in.
 *
 * <p>Decision 0047.
 *
 * @param image null if it names none that can be fetched
 * @param effects of each key that is there
 */
public record DevcontainerSettings(@Nullable ImageReference image, List<KeyEffect> effects) {
    /** The files, of which the first counts. */
    public static final List<String> NAMES = List.of(".devcontainer/devcontainer.json", ".devcontainer.json");

    public static final int BYTES_MAX = 64 * 1024;

    private static final String IMAGE = "image";
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
                "variables come from the agent's profile",
                "'env' of the profile, and 'environment' of the policy, which lets them in",
                "containerEnv",
                "remoteEnv");
        putAll(
                all,
                "commands of a project do not run by themselves",
                "'brig exec ID -- COMMAND' runs one in the session's workspace, behind its wall",
                "onCreateCommand",
                "updateContentCommand",
                "postCreateCommand",
                "postStartCommand",
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
        for (String key : new TreeSet<>(values.names())) {
            effects.add(effect(key, values, image));
        }
        return new DevcontainerSettings(image, effects);
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

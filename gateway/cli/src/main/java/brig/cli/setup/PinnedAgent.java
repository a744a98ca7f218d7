package brig.cli.setup;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * An agent with a model route of its own name that npm installs, as its shipped profile says.
 *
 * @param npm the package, without its version
 * @param version that the profile was tried with
 * @param programs where npm puts the program, below {@code node_modules}; any of them
 */
public record PinnedAgent(String name, String npm, String version, List<String> programs) {
    private static final String SUFFIX = ".json";

    /** All, by name. */
    public static List<PinnedAgent> of(Path home) throws IOException {
        List<PinnedAgent> agents = new ArrayList<>();
        try (DirectoryStream<Path> profiles = Files.newDirectoryStream(home.resolve("config/agents"), "*" + SUFFIX)) {
            for (Path file : profiles) {
                String name = String.valueOf(file.getFileName()).replace(SUFFIX, "");
                JsonObject profile = JsonObject.readCommented(Files.readString(file));
                String npm = profile.object("install").text("npm", "");
                int at = npm.lastIndexOf('@');
                if (at > 0 && profile.texts("models").contains(name)) {
                    agents.add(new PinnedAgent(
                            name,
                            npm.substring(0, at),
                            npm.substring(at + 1),
                            profile.object("install").texts("programs")));
                }
            }
        }
        agents.sort(Comparator.comparing(PinnedAgent::name));
        return agents;
    }

    /** For npm. */
    String spec() {
        return npm + "@" + version;
    }

    /** For people. */
    public String title() {
        return name + " " + version;
    }
}

package brig.cli.install;

import brig.gateway.config.Paths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The links of a user to the installation: the command, what shells complete, the manual page. */
public final class Links {
    private final Map<Path, Path> targets = new LinkedHashMap<>();
    private final Installation installation;

    public Links(Installation installation) {
        this.installation = installation;
        Path data = Paths.xdg("XDG_DATA_HOME", ".local/share");
        targets.put(binFolder().resolve("brig"), installation.command());
        targets.put(data.resolve("bash-completion/completions/brig"), installation.currentFile("share/brig.bash"));
        targets.put(
                Paths.xdg("XDG_CONFIG_HOME", ".config").resolve("fish/completions/brig.fish"),
                installation.currentFile("share/brig.fish"));
        targets.put(data.resolve("man/man1/brig.1"), installation.currentFile("share/brig.1"));
    }

    /** Where the command is linked. */
    public static Path binFolder() {
        return Paths.userHome().resolve(".local/bin");
    }

    /**
     * What was done.
     *
     * @param taken places at which something else is, which stays
     */
    public record Placed(List<String> links, List<String> taken) {}

    public Placed place() throws IOException {
        List<String> links = new ArrayList<>();
        List<String> taken = new ArrayList<>();
        for (Map.Entry<Path, Path> link : targets.entrySet()) {
            Path place = link.getKey();
            if (isOurs(place)) {
                Files.delete(place);
            }
            if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
                taken.add(place.toString());
            } else {
                Files.createDirectories(place.getParent());
                Files.createSymbolicLink(place, link.getValue());
                links.add(place.toString());
            }
        }
        return new Placed(links, taken);
    }

    /** Those that lead to this installation. */
    public List<Path> present() throws IOException {
        List<Path> present = new ArrayList<>();
        for (Path place : targets.keySet()) {
            if (isOurs(place)) {
                present.add(place);
            }
        }
        return present;
    }

    private boolean isOurs(Path place) throws IOException {
        return Files.isSymbolicLink(place) && Files.readSymbolicLink(place).startsWith(installation.root());
    }
}

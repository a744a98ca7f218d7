package brig.workeragent.profile;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folders to search for agents' programs: those that the person chose, the {@code PATH} of this process, as in the
 * person's own shell, then the default places of npm, Node version managers and vendors' installers. Searched anew each
 * time, as something may have been installed meanwhile.
 *
 * <p>Decisions 0063, 0201.
 */
public final class ProgramPlaces {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
    private static final int ENTRIES_MAX = 200;
    private static final List<String> FOR_ALL = List.of("/usr/local/bin", "/usr/bin", "/opt/node/bin");
    /** Below a home. */
    private static final List<String> BINS =
            List.of(".local/bin", ".opencode/bin", ".npm-global/bin", ".bun/bin", "bin");

    private final Map<String, String> environment;

    /** @param environment {@code PATH}, {@code HOME}, {@code NODE_PATH} and the managers' variables are used */
    public ProgramPlaces(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    private Stream<Path> listed(String variable) {
        return Stream.of(environment.getOrDefault(variable, "").split(":", -1))
                .filter(entry -> entry.startsWith("/"))
                .map(Path::of);
    }

    private Path home(String variable, String usual) {
        return listed(variable)
                .findFirst()
                .orElse(Path.of(environment.getOrDefault("HOME", "/")).resolve(usual));
    }

    /** Folders of programs, in order of precedence. */
    List<Path> bins() {
        Path home = home("HOME", "");
        List<Path> bins = new ArrayList<>(listed("PATH").toList());
        FOR_ALL.forEach(bin -> bins.add(Path.of(bin)));
        BINS.forEach(bin -> bins.add(home.resolve(bin)));
        bins.addAll(versions(home("NVM_DIR", ".nvm").resolve("versions/node"), "bin"));
        bins.addAll(versions(home("FNM_DIR", ".local/share/fnm").resolve("node-versions"), "installation/bin"));
        bins.addAll(versions(home("MISE_DATA_DIR", ".local/share/mise").resolve("installs/node"), "bin"));
        return bins.stream().distinct().toList();
    }

    /** Folders of npm packages for programs in such a folder. */
    static Path packagesOf(Path bin) {
        Path above = bin.getParent();
        return (above == null ? bin : above).resolve("lib/node_modules");
    }

    /** Folders of packages that the person names, or had {@code brig setup} install, which take precedence. */
    List<Path> chosen() {
        Path data = home("XDG_DATA_HOME", ".local/share");
        return Stream.concat(listed("NODE_PATH"), versions(data.resolve("brig/agents"), "node_modules").stream())
                .toList();
    }

    /** Folders of packages without a folder of programs. */
    List<Path> packages(String npm) {
        Path home = home("HOME", "");
        return List.of(
                home("VOLTA_HOME", ".volta")
                        .resolve("tools/image/packages")
                        .resolve(npm)
                        .resolve("lib/node_modules"),
                home.resolve(".claude/local/node_modules"),
                home.resolve(".bun/install/global/node_modules"));
    }

    /** One for each version, the newest first. */
    private static List<Path> versions(Path folder, String bin) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> versions = Files.newDirectoryStream(folder)) {
            for (Path version : versions) {
                if (found.size() < ENTRIES_MAX) {
                    found.add(version);
                }
            }
        } catch (IOException | DirectoryIteratorException none) {
            return List.of();
        }
        found.sort(Comparator.comparing(ProgramPlaces::sortable).reversed());
        return found.stream().map(version -> version.resolve(bin)).toList();
    }

    /** Its name in a form in which numbers sort numerically. */
    private static String sortable(Path version) {
        Matcher numbers = NUMBER.matcher(String.valueOf(version.getFileName()));
        return numbers.replaceAll(found -> "%09d".formatted(Integer.parseInt(found.group())));
    }
}

package brig.cli.setup;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a person has on this host besides Brig. */
public final class HostTools {
    /** Variables of keys. Only their names are looked at. */
    private static final List<String> KEYS = List.of(
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "GEMINI_API_KEY",
            "OPENAI_API_KEY",
            "OPENROUTER_API_KEY");

    private static final List<String> BROWSERS =
            List.of("xdg-open", "firefox", "google-chrome", "chromium", "chromium-browser");
    private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");
    private static final long SECONDS_MAX = 5;
    private static final int SAID_BYTES_MAX = 4096;

    private final Map<String, String> environment;

    public HostTools(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    /**
     * A program.
     *
     * @param path null if there is none
     * @param version null if unknown
     */
    public record Tool(
            String name, @Nullable String path, @Nullable String version) {}

    public List<Tool> tools() {
        Path browser = BROWSERS.stream()
                .map(this::find)
                .flatMap(Stream::ofNullable)
                .findFirst()
                .orElse(null);
        return Stream.concat(
                        Stream.of("git", "node", "npm").map(this::tool),
                        Stream.of(new Tool("browser", browser == null ? null : browser.toString(), null)))
                .toList();
    }

    private Tool tool(String name) {
        Path program = find(name);
        return new Tool(name, program == null ? null : program.toString(), program == null ? null : version(program));
    }

    /** The program of that name in the {@code PATH}; null for none. */
    public @Nullable Path find(String name) {
        return Stream.of(environment.getOrDefault("PATH", "").split(":", -1))
                .filter(folder -> folder.startsWith("/"))
                .map(folder -> Path.of(folder, name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .orElse(null);
    }

    private static @Nullable String version(Path program) {
        try {
            Process asked = new ProcessBuilder(program.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            // To destroy one that has ended would close what it said.
            var _ = asked.onExit()
                    .orTimeout(SECONDS_MAX, TimeUnit.SECONDS)
                    .exceptionally(late -> asked.destroyForcibly());
            try (InputStream said = asked.getInputStream()) {
                Matcher found = VERSION.matcher(new String(said.readNBytes(SAID_BYTES_MAX), StandardCharsets.UTF_8));
                return found.find() ? found.group() : null;
            }
        } catch (IOException e) {
            return null;
        }
    }

    /** Names of the variables that have keys. */
    public List<String> keys() {
        return KEYS.stream().filter(this::has).toList();
    }

    /** Whether that variable is set. */
    public boolean has(String variable) {
        return !environment.getOrDefault(variable, "").isBlank();
    }

    /** The value of a variable that is no secret; null for none. */
    public @Nullable String value(String variable) {
        return has(variable) ? environment.get(variable) : null;
    }
}

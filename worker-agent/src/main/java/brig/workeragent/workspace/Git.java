package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.HostUser;
import brig.workeragent.wall.ToolWall;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs the scripts beside this class: git, and other programs of the host, on files that an agent may have changed. All
 * of them run behind a wall. Programs that git would execute by configuration are disabled as far as possible, so that
 * ordinary repositories cause no surprises; security does not rely on that. Blocks; thread-safe.
 *
 * <p>Decision 0104.
 */
record Git(ToolWall wall) {
    private static final List<String> OFF = List.of(
            "core.hooksPath=/dev/null",
            "core.fsmonitor=false",
            "core.pager=cat",
            "core.attributesFile=/dev/null",
            "gc.auto=0",
            "maintenance.auto=false",
            "protocol.allow=never",
            "submodule.recurse=false",
            "advice.addEmbeddedRepo=false",
            "safe.directory=*");
    private static final Map<String, String> ENVIRONMENT = environment();
    static final byte[] NOTHING = new byte[0];
    /** Scripts whose duration depends on the number of files, and for which only their own session waits. */
    private static final Set<String> LONG =
            Set.of("begin", "clone", "copy-history", "keep", "lend", "receive", "remove");

    private static final int TIMES_LONGER = 10;

    /**
     * The files of a script.
     *
     * @param folder its {@code /workspace}
     * @param mounts further mounts; the head of each script documents them
     * @param user the user, if not the workers'
     */
    record Place(
            Path folder,
            boolean readOnly,
            List<Confinement.Mount> mounts,
            @Nullable HostUser user) {
        Place(Path folder, boolean readOnly, List<Confinement.Mount> mounts) {
            this(folder, readOnly, mounts, null);
        }

        static Confinement.Mount readOnly(Path path, String inside) {
            return new Confinement.Mount(path, Path.of(inside), true);
        }

        static Confinement.Mount writable(Path path, String inside) {
            return new Confinement.Mount(path, Path.of(inside), false);
        }
    }

    /** Text, cut if it was longer than wanted. */
    record Text(String text, boolean truncated) {
        static ToolWall.Output<Text> upTo(int bytesMax) {
            return stdout -> {
                byte[] said = stdout.readNBytes(bytesMax);
                return new Text(new String(said, UTF_8), said.length == bytesMax && stdout.read() >= 0);
            };
        }
    }

    /** Runs scripts as one. @throws BrigException {@code INVALID_FIELD} if they fail, with their error output */
    <T> T run(List<String> scripts, Place place, byte[] input, ToolWall.Output<T> output, String... arguments) {
        ToolWall.Said<T> said = attempt(scripts, place, input, output, arguments);
        if (said.failed()) {
            throw new BrigException(
                    ErrorCode.INVALID_FIELD,
                    "git in " + place.folder() + " failed (" + said.exitCode() + "): " + said.complaint());
        }
        return said.output();
    }

    /** As {@link #run}, for scripts that may fail. */
    <T> ToolWall.Said<T> attempt(
            List<String> scripts, Place place, byte[] input, ToolWall.Output<T> output, String... arguments) {
        StringBuilder script = new StringBuilder();
        scripts.forEach(name -> script.append(read(name)));
        return wall.run(
                new ToolWall.Job(
                        script.toString(),
                        List.of(arguments),
                        place.folder(),
                        place.readOnly(),
                        place.mounts(),
                        ENVIRONMENT,
                        LONG.containsAll(scripts) ? TIMES_LONGER : 1,
                        place.user()),
                input,
                output);
    }

    /** Deletes the content of a folder. */
    void empty(Path folder) throws IOException {
        run(List.of("remove"), new Place(folder.toRealPath(), false, List.of()), NOTHING, Text.upTo(0), "");
    }

    private static String read(String script) {
        try (InputStream file = Git.class.getResourceAsStream(script + ".sh")) {
            return new String(Objects.requireNonNull(file, script).readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** GIT_CONFIG_COUNT and the related variables replace options -c. */
    private static Map<String, String> environment() {
        Map<String, String> variables = new TreeMap<>(Map.of(
                "GIT_CONFIG_NOSYSTEM",
                "1",
                "GIT_CONFIG_GLOBAL",
                "/dev/null",
                "GIT_ATTR_NOSYSTEM",
                "1",
                "GIT_TERMINAL_PROMPT",
                "0",
                "GIT_OPTIONAL_LOCKS",
                "0",
                "GIT_NO_LAZY_FETCH",
                "1",
                "GIT_NO_REPLACE_OBJECTS",
                "1",
                "GIT_CONFIG_COUNT",
                Integer.toString(OFF.size())));
        for (int i = 0; i < OFF.size(); i++) {
            String[] keyAndValue = OFF.get(i).split("=", 2);
            variables.put("GIT_CONFIG_KEY_" + i, keyAndValue[0]);
            variables.put("GIT_CONFIG_VALUE_" + i, keyAndValue[1]);
        }
        return variables;
    }
}

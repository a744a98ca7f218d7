package brig.workeragent.profile;

import brig.protocol.record.Default;
import brig.protocol.record.Settings;
import java.nio.file.Path;
import java.util.List;

/**
 * An npm package, or a program that comes with Brig.
 *
 * @param npm its name and the tested version, such as {@code @openai/codex@0.169.0}; empty: Brig's own
 * @param programs possible paths of the program below a folder {@code node_modules}, or Brig's; the first that
 *     exists is used
 */
@Settings
public record Install(@Default String npm, @Default List<String> programs) {
    public Install {
        if (programs.isEmpty() && !npm.isEmpty()) {
            throw new IllegalArgumentException("install: needs programs");
        }
        for (String program : programs) {
            Path path = Path.of(program);
            if (path.isAbsolute()
                    || path.getNameCount() < 2
                    || !path.normalize().equals(path)) {
                throw new IllegalArgumentException(
                        "install.programs: '" + program + "' must be a path below a folder node_modules");
            }
        }
    }
}

package brig.cli;

import brig.cli.terminal.Terminal;
import brig.project.KeyEffect;
import brig.protocol.BrigException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Shows what Brig does with each key of a project's file.
 *
 * @param names of the file in a project's folder; the first that exists counts
 */
record ProjectCheck(Terminal terminal, boolean json, List<String> names, int bytesMax) {
    private static final int ALL_HONOURED = 0;
    private static final int SOME_NOT_HONOURED = 1;
    private static final int INVALID = 2;

    private record Checked(String file, List<KeyEffect> keys) {}

    /**
     * @param file null for the one in the folder
     * @return the exit code
     */
    int run(Path folder, @Nullable Path file, Function<byte[], List<KeyEffect>> read) {
        Checked checked;
        try {
            Path found = file == null ? FileOfProject.find(folder, names) : file;
            checked = new Checked(found.toString(), FileOfProject.read(found, bytesMax, read));
        } catch (BrigException refusal) {
            terminal.refuse(refusal, json);
            return INVALID;
        }
        if (json) {
            terminal.json(checked);
        } else {
            print(checked);
        }
        return checked.keys().stream().allMatch(KeyEffect::isHonoured) ? ALL_HONOURED : SOME_NOT_HONOURED;
    }

    private void print(Checked checked) {
        terminal.println(checked.file());
        terminal.table(
                List.of("KEY", "HONOURED", "WHAT BRIG DOES WITH IT"),
                checked.keys().stream().map(ProjectCheck::row).toList());
        for (KeyEffect key : checked.keys()) {
            if (key.instead() != null) {
                terminal.println("");
                terminal.println(key.key() + ": instead, " + key.instead());
            }
        }
    }

    private static List<String> row(KeyEffect key) {
        return List.of(key.key(), key.honoured().name().toLowerCase(Locale.ROOT).replace('_', ' '), key.effect());
    }
}

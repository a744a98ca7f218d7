package brig.cli;

import brig.cli.terminal.Terminal;
import brig.project.KeyEffect;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
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
            Path found = file == null ? find(folder) : file;
            checked = new Checked(found.toString(), effects(found, read));
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

    /** Follows no links, as sessions do. */
    private Path find(Path folder) {
        for (String name : names) {
            Path file = folder.resolve(name);
            try {
                Path real = folder.toAbsolutePath().toRealPath().resolve(name);
                if (Files.isRegularFile(file) && file.toRealPath().equals(real)) {
                    return file;
                }
            } catch (IOException vanished) {
                // As if it had not been there.
            }
        }
        throw new BrigException(
                ErrorCode.NOT_FOUND,
                "this folder has none of " + String.join(", ", names) + "; links are not followed");
    }

    private List<KeyEffect> effects(Path file, Function<byte[], List<KeyEffect>> read) {
        if (!Files.isRegularFile(file)) {
            throw new BrigException(ErrorCode.NOT_FOUND, "there is no file " + file);
        }
        try (InputStream in = Files.newInputStream(file)) {
            return read.apply(in.readNBytes(bytesMax + 1));
        } catch (BrigException | IllegalArgumentException e) {
            throw new BrigException(ErrorCode.INVALID_POLICY, file + " cannot be used: " + e.getMessage());
        } catch (IOException e) {
            throw new BrigException(ErrorCode.NOT_FOUND, file + " cannot be read: " + Reason.of(e));
        }
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

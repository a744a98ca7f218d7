package brig.cli;

import brig.gateway.config.ConfigFile;
import brig.protocol.BrigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/**
 * {@code brig repository}: the git repositories that worktrees may be made from.
 *
 * <p>Decision 0074.
 */
@Command(
        name = "repository",
        description = "Set the git repositories that sessions may use for worktrees.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Changes take effect at once. On your own gateway, your own repositories need not be added.",
            "",
            "Examples:",
            "  brig repository add .                add a repository, or a folder with repositories",
            "  brig repository list",
            "  brig repository rm ~/shop",
            "  brig run claude -r . -- 'Fix the tests'"
        })
final class RepositoryCommand {
    private static final List<String> KEY = List.of("worker", "repositories");

    private record Edited(String folder, String file) {}

    private record Repositories(List<String> repositories) {}

    @ParentCommand
    private Main main = new Main();

    private EditedFile config() {
        Path named = main.context().configFile();
        return EditedFile.open(named != null ? named : ConfigFile.ownPlace(), "{}\n");
    }

    private static List<String> named(EditedFile config) {
        return config.json().object("worker").texts("repositories");
    }

    /** Adds a folder to those in the file; nothing is written yet. */
    static void add(EditedFile config, Path folder) {
        List<String> all = new ArrayList<>(named(config));
        if (!all.contains(folder.toString())) {
            all.add(folder.toString());
            config.putTexts(KEY, all);
        }
    }

    /** Removes one; nothing is written yet. @return whether the file named it */
    static boolean remove(EditedFile config, Path folder) {
        List<String> all = named(config);
        if (!all.contains(folder.toString())) {
            return false;
        }
        config.putTexts(
                KEY, all.stream().filter(one -> !one.equals(folder.toString())).toList());
        return true;
    }

    @Command(
            description = "Allow worktrees of a repository, or of all repositories below a folder.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  brig repository add ~/shop"})
    int add(
            @Parameters(
                            paramLabel = "FOLDER",
                            arity = "0..1",
                            defaultValue = ".",
                            description = "The repository or folder. Default: the current folder.")
                    Path folder)
            throws IOException {
        if (!Files.isDirectory(folder)) {
            throw BrigException.invalid("FOLDER", "must be a folder, and there is none at " + folder);
        }
        EditedFile config = config();
        Path real = folder.toRealPath();
        add(config, real);
        config.write(false);
        return say("added " + real, real, config);
    }

    @Command(
            name = "rm",
            description = "Remove a repository or folder from the list.",
            mixinStandardHelpOptions = true,
            footer = {"", "Example:", "  brig repository rm ~/shop"})
    int remove(
            @Parameters(
                            paramLabel = "FOLDER",
                            arity = "0..1",
                            defaultValue = ".",
                            description = "The repository or folder. Default: the current folder.")
                    Path folder) {
        EditedFile config = config();
        Path absolute = folder.toAbsolutePath().normalize();
        if (!remove(config, absolute)) {
            throw BrigException.invalid("FOLDER", absolute + " is not named in " + config.file());
        }
        config.write(false);
        return say("took out " + absolute, absolute, config);
    }

    private int say(String what, Path folder, EditedFile config) {
        if (main.json()) {
            main.terminal().json(new Edited(folder.toString(), config.file().toString()));
        } else {
            main.terminal().note(what + ", in " + config.file());
        }
        return 0;
    }

    @Command(description = "List the repositories and folders.", mixinStandardHelpOptions = true)
    int list() {
        List<String> folders = named(config());
        if (main.json()) {
            main.terminal().json(new Repositories(folders));
        } else {
            folders.forEach(main.terminal()::println);
        }
        return 0;
    }
}

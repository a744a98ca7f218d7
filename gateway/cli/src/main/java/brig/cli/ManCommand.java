package brig.cli;

import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/**
 * {@code brig man}: the manual page, composed of every command's {@code --help}.
 *
 * <p>Decision 0103.
 */
@Command(
        name = "man",
        description = "Print the manual page: the help of every command.",
        mixinStandardHelpOptions = true,
        footer = {"", "Example:", "  brig man | man -l -"})
final class ManCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        main.terminal().verbatim(page(spec.root().commandLine()));
        return 0;
    }

    static String page(CommandLine root) {
        StringBuilder page =
                new StringBuilder(".TH BRIG 1 \"\" \"" + Main.version() + "\" \"User Commands\"\n.SH NAME\n"
                        + "brig \\- run AI coding agents behind a wall and stream their output\n");
        section(page, "SYNOPSIS AND COMMANDS", root);
        append(page, root);
        page.append(".SH SEE ALSO\n.BR bwrap (1),\n.BR systemctl (1)\n");
        return page.toString();
    }

    private static void append(StringBuilder page, CommandLine of) {
        // A command with aliases is listed once per name.
        for (CommandLine line : new LinkedHashSet<>(of.getSubcommands().values())) {
            section(page, line.getCommandSpec().qualifiedName().toUpperCase(Locale.ROOT), line);
            append(page, line);
        }
    }

    private static void section(StringBuilder page, String title, CommandLine line) {
        page.append(".SH \"").append(title).append("\"\n.nf\n");
        line.getUsageMessage(Ansi.OFF)
                .lines()
                .forEach(text -> page.append(escaped(text)).append('\n'));
        page.append(".fi\n");
    }

    /** A line escaped for troff. */
    private static String escaped(String text) {
        String plain = text.replace("\\", "\\e").replace("-", "\\-");
        return plain.startsWith(".") || plain.startsWith("'") ? "\\&" + plain : plain;
    }
}

package brig.cli;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/**
 * The commands of {@code brig}, in the order of its help. Only the requested one is constructed, as constructing all
 * takes longer than the rest of a start.
 */
final class Commands {
    private static final List<Class<?>> TYPES = List.of(
            ServeCommand.class,
            RunCommand.class,
            TunnelCommand.class,
            ShellCommand.class,
            SpawnCommand.class,
            SessionsCommand.class,
            AttachCommand.class,
            ExecCommand.class,
            LogsCommand.class,
            WaitCommand.class,
            TreeCommand.class,
            AsksCommand.class,
            AnswerCommand.class,
            EgressCommand.class,
            AuditCommand.class,
            CostsCommand.class,
            PortCommand.class,
            RecordCommand.class,
            ReplayCommand.class,
            TrackCommand.class,
            TokenCommand.class,
            ApplyCommand.class,
            CheckpointCommand.class,
            CheckpointsCommand.class,
            RestoreCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            ForkCommand.class,
            OpenCodeCommand.class,
            AcpCommand.class,
            McpCommand.class,
            RouteCommand.class,
            LoginCommand.class,
            RepositoryCommand.class,
            HostCommand.class,
            ClusterCommand.class,
            OpenCommand.class,
            StatusCommand.class,
            TopCommand.class,
            PruneCommand.class,
            ImageCommand.class,
            VmCommand.class,
            GondolinCommand.class,
            DevcontainerCommand.class,
            RecoverCommand.class,
            SetupCommand.class,
            UpgradeCommand.class,
            UninstallCommand.class,
            CompletionCommand.class,
            ManCommand.class,
            HelpCommand.class);
    /** Commands that describe all others. */
    private static final Set<Class<?>> OF_ALL = Set.of(CompletionCommand.class, ManCommand.class, HelpCommand.class);

    /** Picocli's value for a missing name. */
    private static final String UNNAMED = "<main class>";

    private Commands() {}

    /** With options alone or an unknown command, all are constructed, for the help and for suggestions. */
    static CommandLine of(Main main, String[] words) {
        CommandLine line = new CommandLine(main);
        if (words.length == 0
                || List.of(words).equals(List.of("--version"))
                || List.of(words).equals(List.of("-V"))) {
            return line;
        }
        List<AnnotatedElement> all = new ArrayList<>(TYPES);
        all.addAll(CommandLine.getCommandMethods(Main.class, null));
        String name = name(words);
        List<AnnotatedElement> asked = all.stream()
                .filter(command -> names(command).contains(name) && !OF_ALL.contains(command))
                .toList();
        (asked.isEmpty() ? all : asked).forEach(command -> line.addSubcommand(new CommandLine(command)));
        return line;
    }

    /**
     * The words to parse: all, or those up to a command that there is not. Behind it any word could be taken for the command.
     */
    static String[] known(CommandLine line, String[] words) {
        int at = at(words);
        return at == words.length || line.getSubcommands().containsKey(words[at])
                ? words
                : Arrays.copyOf(words, at + 1);
    }

    /** The first word that is neither an option of {@code brig} nor an option's value; empty for none. */
    private static String name(String[] words) {
        int at = at(words);
        return at == words.length ? "" : words[at];
    }

    private static int at(String[] words) {
        int at = 0;
        while (at < words.length && words[at].startsWith("-")) {
            at += words[at].equals("--config") ? 2 : 1;
        }
        return Math.min(at, words.length);
    }

    private static List<String> names(AnnotatedElement element) {
        Command command = element.getAnnotation(Command.class);
        List<String> names = new ArrayList<>(List.of(command.aliases()));
        names.add(
                element instanceof Method method && command.name().equals(UNNAMED) ? method.getName() : command.name());
        return names;
    }
}

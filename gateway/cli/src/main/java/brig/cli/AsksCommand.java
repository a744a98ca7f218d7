package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.api.AskList;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig asks}. */
@Command(
        name = "asks",
        description = "List what agents ask, over all sessions, with the command that answers.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "An ask that nobody answers gets its default when its time is over.",
            "",
            "Examples:",
            "  brig asks",
            "  brig asks fix-tests",
            "  brig asks --json | jq -r '.asks[].ask_id'"
        })
final class AsksCommand implements Callable<Integer> {
    private static final int DETAIL_CHARACTERS_MAX = 400;

    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ID", arity = "0..1", description = "Only those of this session: its spawn_id or task_id.")
    private @Nullable String id;

    @Override
    public Integer call() {
        main.show(new SpawnerRequest.Asks(id), AskList.class, this::print);
        return 0;
    }

    private void print(AskList list) {
        if (list.asks().isEmpty()) {
            main.terminal().note("no agent waits for an answer");
        }
        for (AskList.View view : list.asks()) {
            print(main.terminal(), view);
        }
    }

    private static void print(Terminal terminal, AskList.View view) {
        Frame.Ask ask = view.ask();
        long leftMs = Math.max(0, ask.deadline() - System.currentTimeMillis());
        String agent = ask.agent() == null ? view.profile() : view.profile() + ", sub-agent " + ask.agent();
        terminal.println(view.taskId() + " (" + agent + ") asks: " + ask.title());
        terminal.println("  " + TreeDrawing.cut(detail(ask.detail()), DETAIL_CHARACTERS_MAX));
        terminal.println("  brig answer " + ask.askId() + " " + ask.choices() + "   (in " + leftMs / 1000 + " s: "
                + ask.fallback() + ")");
    }

    /** What to judge by, in one line. */
    static String detail(@Nullable Object detail) {
        return switch (detail) {
            case null -> "";
            case String text -> text;
            case List<?> words -> words.stream().map(String::valueOf).collect(Collectors.joining(" "));
            case JsonObject object ->
                object.names().stream()
                        .map(name -> name + ": " + detail(object.value(name)))
                        .collect(Collectors.joining(", "));
            default -> String.valueOf(detail);
        };
    }
}

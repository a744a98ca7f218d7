package brig.cli;

import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.AskAnswer;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code brig answer}. */
@Command(
        name = "answer",
        description = "Answer what an agent asks. The first answer counts.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  brig answer ask_01jd8mz4k7w2n5r8t1v4x6y9 allow",
            "  brig answer ask_01jd8mz4k7w2n5r8t1v4x6y9 --text 'Use the second file'"
        })
final class AnswerCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Parameters(paramLabel = "ASK_ID", index = "0", description = "The ask, as 'brig asks' lists it.")
    private String id = "";

    @Parameters(
            paramLabel = "OPTION",
            index = "1",
            arity = "0..1",
            description = "The option, as 'brig asks' lists it.")
    private @Nullable String option;

    @Option(names = "--text", paramLabel = "TEXT", description = "An answer in own words, if the ask takes one.")
    private @Nullable String text;

    @Override
    public Integer call() {
        main.show(
                new SpawnerRequest.AnswerAsk(id, option, text, SpawnOptions.CLIENT),
                AskAnswer.class,
                answer -> main.terminal()
                        .note("answered: " + (answer.option() == null ? answer.text() : answer.option())));
        return 0;
    }
}

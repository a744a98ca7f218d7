package brig.cli;

import brig.cli.terminal.Terminal;
import brig.protocol.BrigException;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.AskDetail;
import brig.protocol.frame.Frame;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Shows what an agent asks to the person at the terminal, and takes typed numbers as answers. Each number is given once,
 * for one option of one ask. So a number that was typed for an ask that is settled meanwhile never answers the next one.
 * Thread-safe.
 *
 * <p>Decision 0149.
 */
final class AskPrompts {
    private static final int DETAIL_LINES_MAX = 40;
    private static final int LINE_CHARACTERS_MAX = 1000;
    private static final int LOOK_AGAIN_MS = 50;
    private static final Pattern NUMBER = Pattern.compile("[1-9]\\d{0,8}");

    /** @param option null for an answer in own words */
    private record Choice(String askId, @Nullable String option) {}

    private final Terminal terminal;
    private final InstantSource clock;
    private final Consumer<SpawnerRequest.AnswerAsk> answers;

    // Guarded by this.
    /** Asks that were not shown yet, by id. */
    private final Map<String, Frame.Ask> unshown = new LinkedHashMap<>();
    /** What the numbers stand for that are shown. */
    private final Map<Integer, Choice> choices = new HashMap<>();

    private int next = 1;

    /** @param answers gives an answer to the gateway, and throws its refusal */
    AskPrompts(Terminal terminal, InstantSource clock, Consumer<SpawnerRequest.AnswerAsk> answers) {
        this.terminal = terminal;
        this.clock = clock;
        this.answers = answers;
    }

    /** Whether a person sees the asks and can type answers. */
    static boolean arePossible() {
        return Terminal.isTerminal(0) && Terminal.isTerminal(2);
    }

    /** Shows it with the next {@link #showNew}. */
    synchronized void add(Frame.Ask ask) {
        unshown.put(ask.askId(), ask);
    }

    /** Forgets a settled ask. @return the ask if it was not shown */
    synchronized Frame.@Nullable Ask settle(String askId) {
        choices.values().removeIf(choice -> choice.askId().equals(askId));
        return unshown.remove(askId);
    }

    synchronized boolean hasNew() {
        return !unshown.isEmpty();
    }

    /** Shows the asks that came since the last call and still wait. */
    synchronized void showNew() {
        unshown.values().stream().filter(ask -> ask.deadline() > clock.millis()).forEach(this::show);
        unshown.clear();
        notifyAll();
    }

    /** {@code the agent asks: Bash}. */
    static String headline(Frame.Ask ask) {
        return (ask.agent() == null ? "the agent" : "sub-agent " + ask.agent()) + " asks: " + ask.title();
    }

    private void show(Frame.Ask ask) {
        terminal.note(headline(ask));
        List<String> detail = AskDetail.lines(ask.detail());
        detail.stream().limit(DETAIL_LINES_MAX).forEach(line -> terminal.noteAside("  | " + shortened(line)));
        if (detail.size() > DETAIL_LINES_MAX) {
            terminal.noteAside("  | … and " + (detail.size() - DETAIL_LINES_MAX) + " lines: brig asks --json");
        }
        for (Frame.Ask.Option option : ask.options()) {
            String description = option.description() == null ? "" : ": " + option.description();
            terminal.noteAside("  " + number(ask, option.id()) + "  " + option.name() + description);
        }
        if (ask.text()) {
            terminal.noteAside("  " + number(ask, null) + " TEXT  Answer in your own words");
        }
        long leftSeconds = (ask.deadline() - clock.millis()) / 1000;
        terminal.note("type a number to answer, or elsewhere: brig answer " + ask.askId() + " " + ask.choices()
                + " (in " + leftSeconds + " s: " + ask.fallback() + ")");
    }

    private int number(Frame.Ask ask, @Nullable String option) {
        choices.put(next, new Choice(ask.askId(), option));
        return next++;
    }

    private static String shortened(String line) {
        return line.length() <= LINE_CHARACTERS_MAX
                ? line
                : line.substring(0, LINE_CHARACTERS_MAX) + "… (shortened: brig asks --json)";
    }

    /** Answers with a typed line. @return whether it was meant as an answer */
    boolean take(String line) {
        String[] words = line.strip().split("\\s+", 2);
        if (!NUMBER.matcher(words[0]).matches()) {
            return false;
        }
        String text = words.length == 1 ? null : words[1];
        int number = Integer.parseInt(words[0]);
        Choice choice;
        synchronized (this) {
            choice = choices.get(number);
            if (choice == null && number < next && text == null) {
                terminal.note("what " + number + " answers is settled; nothing was sent");
                return true;
            }
        }
        if (choice == null || (choice.option() != null && text != null)) {
            return false;
        }
        if (choice.option() == null && text == null) {
            terminal.note("type " + number + " and your answer in one line");
        } else {
            give(new SpawnerRequest.AnswerAsk(choice.askId(), choice.option(), text, SpawnOptions.CLIENT));
        }
        return true;
    }

    private void give(SpawnerRequest.AnswerAsk answer) {
        try {
            answers.accept(answer);
        } catch (BrigException refusal) {
            terminal.note(refusal.getMessage() + " (" + refusal.code() + ")");
        }
    }

    /**
     * Takes lines as answers while something is asked, and reads nothing otherwise. Lines from before an ask are dropped:
     * they cannot be meant for it.
     *
     * @param typed a terminal
     * @param mayRead whether this process may read it now
     */
    void readAnswers(InputStream typed, BooleanSupplier mayRead) throws IOException, InterruptedException {
        while (true) {
            awaitOpen();
            typed.skipNBytes(typed.available());
            while (isOpen()) {
                if (mayRead.getAsBoolean() && typed.available() > 0) {
                    byte[] bytes = typed.readNBytes(typed.available());
                    new String(bytes, StandardCharsets.UTF_8).lines().forEach(this::take);
                } else {
                    Thread.sleep(LOOK_AGAIN_MS);
                }
            }
        }
    }

    private synchronized boolean isOpen() {
        return !choices.isEmpty();
    }

    private synchronized void awaitOpen() throws InterruptedException {
        while (!isOpen()) {
            wait();
        }
    }
}

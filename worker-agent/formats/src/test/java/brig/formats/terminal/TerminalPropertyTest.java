package brig.formats.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What holds for any output: for wherever it is cut, for drawing a terminal anew, for what a person's terminal gets of it. */
class TerminalPropertyTest {
    private static final int ROUNDS = 1_500;
    private static final Consumer<String> NOBODY = answer -> {};

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    private String message(String text) {
        return "seed " + seed + ": "
                + text.replace("\u001b", "~").replace("\n", "\\n").replace("\r", "\\r");
    }

    private static TerminalModel fresh(TerminalModel model) {
        return new TerminalModel(model.columns(), model.rows(), NOBODY);
    }

    private TerminalModel any() {
        int columns = random.nextInt(10) == 0 ? 1 + random.nextInt(3) : 2 + random.nextInt(40);
        return new TerminalModel(columns, 1 + random.nextInt(12), NOBODY);
    }

    private String output(TerminalModel model, boolean filtered) {
        return new RandomOutput(random, model.columns(), model.rows(), filtered).next(random.nextInt(120));
    }

    @Test
    void shouldBeTheSameWhereverOutputIsCut() {
        for (int round = 0; round < ROUNDS; round++) {
            TerminalModel whole = any();
            TerminalModel cut = fresh(whole);
            TerminalModel single = fresh(whole);
            String text = output(whole, false);
            whole.write(text);
            int at = random.nextInt(text.length() + 1);
            cut.write(text.substring(0, at));
            cut.write(text.substring(at));
            text.chars().forEach(c -> single.write(String.valueOf((char) c)));
            assertEquals(whole.state(), cut.state(), () -> message(text));
            assertEquals(whole.state(), single.state(), () -> message(text));
        }
    }

    /** Rows that are empty already are passed over when a screen is emptied: none may be missed. */
    @Test
    void shouldBeAsNewAfterAReset() {
        for (int round = 0; round < ROUNDS; round++) {
            TerminalModel model = any();
            String text = output(model, false) + "\u001b\\";
            model.write(text);
            if (random.nextBoolean()) {
                model.resize(1 + random.nextInt(40), 1 + random.nextInt(12));
            }
            model.write("\u001b[0m\u001b[2J");
            assertEquals(fresh(model).screen(), model.screen(), () -> message(text));
            model.write("\u001bc");
            assertEquals(fresh(model).state(), model.state(), () -> message(text));
        }
    }

    @Test
    void shouldDrawAFreshTerminalEqual() {
        for (int round = 0; round < ROUNDS; round++) {
            TerminalModel model = any();
            StringBuilder all = new StringBuilder();
            for (int step = 0; step < 3; step++) {
                String text = output(model, false) + "\u001b\\";
                all.append(text);
                model.write(text);
                checkDrawn(model, all.toString());
                if (random.nextInt(3) == 0) {
                    int columns = 1 + random.nextInt(40);
                    int rows = 1 + random.nextInt(12);
                    all.append("<").append(columns).append('x').append(rows).append(">");
                    model.resize(columns, rows);
                    checkDrawn(model, all.toString());
                }
            }
        }
    }

    /** Also what comes later is the same: nothing is left that {@code state} does not tell. */
    private void checkDrawn(TerminalModel model, String text) {
        String state = model.state();
        TerminalModel drawn = fresh(model);
        String drawing = model.draw();
        drawn.write(drawing);
        assertEquals(state, drawn.state(), () -> message(text + " drawn as " + drawing));
        String later = output(model, false);
        TerminalModel again = fresh(model);
        again.write(drawing);
        again.write(later);
        drawn.write(later);
        assertEquals(drawn.state(), again.state());
    }

    @Test
    void shouldGoOnEqualAfterDrawing() {
        for (int round = 0; round < ROUNDS; round++) {
            TerminalModel model = any();
            String text = output(model, false) + "x";
            model.write(text + "\u001b\\" + (random.nextBoolean() ? "y" : ""));
            TerminalModel drawn = fresh(model);
            drawn.write(model.draw());
            String later = output(model, false);
            model.write(later);
            drawn.write(later);
            assertEquals(model.state(), drawn.state(), () -> message(text + " later " + later));
        }
    }

    @Test
    void shouldShowAPersonTheSame() {
        for (int round = 0; round < ROUNDS; round++) {
            TerminalModel model = any();
            TerminalModel person = fresh(model);
            TerminalFilter filter = new TerminalFilter();
            String text = output(model, true);
            StringBuilder passed = new StringBuilder();
            filter.filter(text, passed);
            model.write(text);
            person.write(passed);
            assertEquals(model.state(), person.state(), () -> message(text));
        }
    }

    @Test
    void shouldShowAPersonADrawing() {
        for (int round = 0; round < ROUNDS; round++) {
            TerminalModel model = any();
            String text = output(model, true);
            model.write(text);
            StringBuilder passed = new StringBuilder();
            new TerminalFilter().filter(model.draw(), passed);
            TerminalModel person = fresh(model);
            person.write(passed);
            assertEquals(model.state(), person.state(), () -> message(text));
        }
    }
}

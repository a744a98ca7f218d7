package brig.cli;

import brig.cli.terminal.StyledLine;
import brig.cli.terminal.StyledLine.Colour;
import brig.cli.terminal.TypedKey;
import brig.protocol.api.AskList;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.SpawnView;
import brig.protocol.frame.AskDetail;
import brig.protocol.frame.Frame;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code brig} without a command shows: what waits for an answer, and the live sessions, those first that need a person.
 * Knows no terminal, no gateway and no clock. A number answers only the ask that is chosen: when that is settled, nothing is
 * chosen, so that a number which was meant for it never answers the next one.
 *
 * <p>Decision 0187.
 */
final class Overview {
    private static final int NAME_CHARS = 24;
    private static final int AGENT_CHARS = 18;
    private static final int STATE_CHARS = 12;
    private static final int DETAIL_LINES_MAX = 8;
    private static final int LINE_CHARS_MAX = 400;
    private static final int OPTIONS_MAX = 9;
    private static final List<SpawnActivity> NEEDS_MOST = List.of(
            SpawnActivity.WAITING,
            SpawnActivity.FAILED,
            SpawnActivity.UNREACHABLE,
            SpawnActivity.UNKNOWN,
            SpawnActivity.IDLE,
            SpawnActivity.THROTTLED_BY_PROVIDER,
            SpawnActivity.WORKING,
            SpawnActivity.STARTING,
            SpawnActivity.ENDED);

    /** What the person wants done. */
    sealed interface Wish {
        /** Show the session. */
        record Attach(SpawnView session) implements Wish {}

        /** Show what a session changed. */
        record Diff(SpawnView session) implements Wish {}

        /** Answer an ask with one of its options. */
        record Answer(String askId, String option) implements Wish {}

        /** Start a session. */
        record Start() implements Wish {}

        record Quit() implements Wish {}

        record Nothing() implements Wish {}
    }

    /** A line, and what is chosen with it: an ask or a session by its id, or null. */
    private record Row(@Nullable String id, StyledLine line) {}

    private final boolean coloured;
    private List<SpawnView> sessions = List.of();
    private List<AskList.View> asks = List.of();
    private @Nullable String chosen;
    private boolean began;
    private String note = "";

    Overview(boolean coloured) {
        this.coloured = coloured;
    }

    /** @param all of all sessions, also those that have ended */
    void takeSessions(List<SpawnView> all) {
        sessions = all.stream()
                .filter(view -> view.endedMs() == 0)
                .sorted(Comparator.<SpawnView>comparingInt(view -> NEEDS_MOST.indexOf(view.activity()))
                        .thenComparing(
                                Comparator.comparingLong(SpawnView::createdMs).reversed()))
                .toList();
        choose();
    }

    void takeAsks(List<AskList.View> open) {
        asks = List.copyOf(open);
        choose();
    }

    /** A sentence below the lists, until the next key. */
    void say(String sentence) {
        note = sentence;
    }

    private void choose() {
        List<String> ids = ids();
        if (!began && !sessions.isEmpty()) {
            began = true;
            chosen = sessions.getFirst().spawnId();
        }
        if (chosen != null && !ids.contains(chosen)) {
            chosen = null;
        }
    }

    private List<String> ids() {
        return Stream.concat(
                        asks.stream().map(ask -> ask.ask().askId()),
                        sessions.stream().map(SpawnView::spawnId))
                .toList();
    }

    Wish press(TypedKey key) {
        note = "";
        switch (key.kind()) {
            case UP -> move(-1);
            case DOWN -> move(1);
            case HOME -> move(-ids().size());
            case END -> move(ids().size());
            case LEAVE -> {
                return new Wish.Quit();
            }
            case ENTER -> {
                return attach();
            }
            case CHARACTER -> {
                return type(key);
            }
            case ERASE, ESCAPE, PAGE_UP, PAGE_DOWN, OTHER -> {}
        }
        return new Wish.Nothing();
    }

    private Wish type(TypedKey key) {
        switch (key.character()) {
            case 'k' -> move(-1);
            case 'j' -> move(1);
            case 'q' -> {
                return new Wish.Quit();
            }
            case 'n' -> {
                return new Wish.Start();
            }
            case 'd' -> {
                SpawnView session = session();
                return session == null ? new Wish.Nothing() : new Wish.Diff(session);
            }
            default -> {
                return answer(key.character() - '1');
            }
        }
        return new Wish.Nothing();
    }

    private void move(int by) {
        List<String> ids = ids();
        if (!ids.isEmpty()) {
            int at = chosen == null ? (by > 0 ? -1 : ids.size()) : ids.indexOf(chosen);
            chosen = ids.get(Math.clamp(at + by, 0, ids.size() - 1));
        }
    }

    /** The session that is chosen, or whose ask is. */
    private @Nullable SpawnView session() {
        String spawnId = asks.stream()
                .filter(ask -> ask.ask().askId().equals(chosen))
                .map(AskList.View::spawnId)
                .findFirst()
                .orElse(chosen);
        return sessions.stream()
                .filter(view -> view.spawnId().equals(spawnId))
                .findFirst()
                .orElse(null);
    }

    private Wish attach() {
        SpawnView session = session();
        return session == null ? new Wish.Nothing() : new Wish.Attach(session);
    }

    private Wish answer(int option) {
        return asks.stream()
                .map(AskList.View::ask)
                .filter(ask -> ask.askId().equals(chosen))
                .filter(ask -> option >= 0
                        && option < Math.min(OPTIONS_MAX, ask.options().size()))
                .<Wish>map(ask ->
                        new Wish.Answer(ask.askId(), ask.options().get(option).id()))
                .findFirst()
                .orElse(new Wish.Nothing());
    }

    /** All of it in a window with so many rows. */
    List<StyledLine> lines(int rows, long nowMs) {
        List<Row> body = new ArrayList<>();
        if (!asks.isEmpty()) {
            body.add(new Row(null, StyledLine.of("Waits for an answer")));
            asks.forEach(ask -> body.addAll(rows(ask, nowMs)));
            body.add(new Row(null, StyledLine.of("")));
        }
        body.add(new Row(null, StyledLine.of("Sessions")));
        Set<String> asking = asks.stream().map(AskList.View::spawnId).collect(Collectors.toCollection(HashSet::new));
        sessions.forEach(view -> body.add(row(view, asking.contains(view.spawnId()), nowMs)));
        if (sessions.isEmpty()) {
            body.add(new Row(null, StyledLine.of("  none is running; n starts one")));
        }
        List<StyledLine> lines = new ArrayList<>();
        lines.add(painted(Colour.BOLD, StyledLine.of(head())));
        lines.add(StyledLine.of(""));
        int room = Math.max(1, rows - 5);
        body.stream().skip(above(body, room)).limit(room).map(Row::line).forEach(lines::add);
        while (lines.size() < rows - 2) {
            lines.add(StyledLine.of(""));
        }
        lines.add(painted(Colour.YELLOW, StyledLine.of(TreeDrawing.cut(note, LINE_CHARS_MAX))));
        lines.add(painted(
                Colour.DIM, StyledLine.of("↑↓ choose · Enter attach · 1-9 answer · n start · d diff · q quit")));
        return lines;
    }

    private String head() {
        return "brig · " + sessions.size() + (sessions.size() == 1 ? " session" : " sessions")
                + (asks.isEmpty() ? "" : " · " + asks.size() + (asks.size() == 1 ? " waits" : " wait") + " for you");
    }

    /** How many rows are above the window, so that the chosen one is in it. */
    private int above(List<Row> body, int room) {
        int last = 0;
        for (int i = 0; i < body.size(); i++) {
            last = Objects.equals(body.get(i).id(), chosen) && chosen != null ? i : last;
        }
        return Math.max(0, last - room + 1);
    }

    private List<Row> rows(AskList.View view, long nowMs) {
        Frame.Ask ask = view.ask();
        boolean isChosen = ask.askId().equals(chosen);
        List<Row> rows = new ArrayList<>();
        long leftSeconds = Math.max(0, ask.deadline() - nowMs) / 1000;
        rows.add(row(
                ask.askId(),
                "?",
                Colour.YELLOW,
                TreeDrawing.cut(AsksCommand.headline(view), LINE_CHARS_MAX) + "  (in " + leftSeconds + " s: "
                        + TreeDrawing.cut(ask.fallback(), NAME_CHARS) + ")"));
        if (isChosen) {
            List<String> detail = AskDetail.lines(ask.detail());
            detail.stream().limit(DETAIL_LINES_MAX).forEach(line -> rows.add(below(ask, "| " + line)));
            if (detail.size() > DETAIL_LINES_MAX) {
                rows.add(below(ask, "| … and " + (detail.size() - DETAIL_LINES_MAX) + " lines: brig asks --json"));
            }
            for (int i = 0; i < Math.min(OPTIONS_MAX, ask.options().size()); i++) {
                Frame.Ask.Option option = ask.options().get(i);
                String description = option.description() == null ? "" : ": " + option.description();
                rows.add(below(ask, (i + 1) + "  " + option.name() + description));
            }
            if (ask.text()) {
                rows.add(below(ask, "in own words: brig answer " + ask.askId() + " --text TEXT"));
            }
        }
        return rows;
    }

    private static Row below(Frame.Ask ask, String text) {
        return new Row(ask.askId(), StyledLine.of("      " + TreeDrawing.cut(text, LINE_CHARS_MAX)));
    }

    private Row row(SpawnView view, boolean asks, long nowMs) {
        SpawnActivity activity = asks ? SpawnActivity.WAITING : view.activity();
        return row(
                view.spawnId(),
                activity == SpawnActivity.IDLE ? "○" : "●",
                colour(activity),
                padded(asks ? SpawnActivity.WAITING.wireName() : TopTable.doing(view), STATE_CHARS)
                        + padded(view.taskId(), NAME_CHARS)
                        + padded(TreeDrawing.placed(view.agent(), view.host()), AGENT_CHARS)
                        + TreeDrawing.duration(nowMs - view.createdMs()));
    }

    private Row row(String id, String mark, Colour colour, String text) {
        boolean isChosen = id.equals(chosen);
        StyledLine words = StyledLine.of(text);
        return new Row(
                id,
                StyledLine.of(isChosen ? "> " : "  ")
                        .and(painted(colour, StyledLine.of(mark + " ")))
                        .and(isChosen ? painted(Colour.REVERSED, words) : words));
    }

    private static Colour colour(SpawnActivity activity) {
        return switch (activity) {
            case WAITING, UNKNOWN, UNREACHABLE, THROTTLED_BY_PROVIDER -> Colour.YELLOW;
            case WORKING, STARTING -> Colour.GREEN;
            case FAILED -> Colour.RED;
            case IDLE, ENDED -> Colour.DIM;
        };
    }

    private StyledLine painted(Colour colour, StyledLine line) {
        return coloured ? line.in(colour) : line;
    }

    private static String padded(String text, int chars) {
        String cut = TreeDrawing.cut(text, chars - 2);
        return cut + " ".repeat(Math.max(1, chars - cut.codePointCount(0, cut.length())));
    }
}

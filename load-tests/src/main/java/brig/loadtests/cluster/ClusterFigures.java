package brig.loadtests.cluster;

import brig.loadtests.bench.Spread;
import brig.loadtests.suite.Figure;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The figures of all ways beside each other, with their ratio to those of one gateway alone. */
final class ClusterFigures {
    static final double ADDED_MS_MAX = 2;
    static final double FRAMES_PER_SECOND_MIN = 1e6;

    private record Place(Way way, Load load, Figure figure) {}

    private final List<Way> ways;
    private final Map<Place, List<Double>> values = new LinkedHashMap<>();
    private final List<String> faults = new ArrayList<>();

    ClusterFigures(List<Way> ways) {
        this.ways = ways;
    }

    void add(Way way, Load load, Map<Figure, Double> measured) {
        measured.forEach(
                (figure, value) -> values.computeIfAbsent(new Place(way, load, figure), first -> new ArrayList<>())
                        .add(value));
    }

    /** A run that lost or damaged something, or did not work. */
    void fail(Way way, Load load, String why) {
        faults.add(load.title() + ", " + way.title() + ": " + why);
    }

    boolean isComplete() {
        return faults.isEmpty();
    }

    private Optional<Spread> spread(Way way, Load load, Figure figure) {
        return Optional.ofNullable(values.get(new Place(way, load, figure)))
                .map(all ->
                        Spread.of(all.stream().mapToDouble(Double::doubleValue).toArray()));
    }

    private Optional<Double> median(Way way, Load load, Figure figure) {
        return spread(way, load, figure).map(Spread::median);
    }

    private Optional<Double> ratio(Way way, Load load, Figure figure) {
        return way == Way.ALONE
                ? Optional.empty()
                : median(Way.ALONE, load, figure)
                        .filter(alone -> alone > 0)
                        .flatMap(alone -> median(way, load, figure).map(its -> its / alone));
    }

    /** How much later the median frame comes than from a gateway alone. */
    private Optional<Double> addedMs(Way way) {
        return way == Way.ALONE
                ? Optional.empty()
                : median(Way.ALONE, Load.PACED, Figure.P50_MS)
                        .flatMap(alone -> median(way, Load.PACED, Figure.P50_MS).map(its -> its - alone));
    }

    /** Whether what was measured is within the bounds. */
    boolean holds() {
        return ways.stream()
                .allMatch(way -> addedMs(way).orElse(0.0) <= ADDED_MS_MAX
                        && median(way, Load.STREAM, Figure.FRAMES_PER_SECOND).orElse(FRAMES_PER_SECOND_MIN)
                                >= FRAMES_PER_SECOND_MIN);
    }

    /** For people: medians, with ratios in brackets. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(row("", Way::title));
        for (Load load : Load.values()) {
            for (Figure figure : load.figures()) {
                if (ways.stream().anyMatch(way -> spread(way, load, figure).isPresent())) {
                    lines.add(row(load.title() + ", " + figure.label(), way -> cell(way, load, figure)));
                }
            }
        }
        ways.forEach(way -> addedMs(way)
                .filter(added -> added > ADDED_MS_MAX)
                .ifPresent(added -> lines.add(bound(
                        way, "adds", Figure.P50_MS.format(added), "at most", Figure.P50_MS.format(ADDED_MS_MAX)))));
        ways.forEach(way -> median(way, Load.STREAM, Figure.FRAMES_PER_SECOND)
                .filter(frames -> frames < FRAMES_PER_SECOND_MIN)
                .ifPresent(frames -> lines.add(bound(
                        way,
                        "takes",
                        Figure.FRAMES_PER_SECOND.format(frames) + " frames/s",
                        "at least",
                        Figure.FRAMES_PER_SECOND.format(FRAMES_PER_SECOND_MIN)))));
        lines.addAll(faults);
        return lines;
    }

    private static String bound(Way way, String does, String value, String relation, String bound) {
        return "DOES NOT HOLD: " + way.title() + " " + does + " " + value + ", " + relation + " " + bound;
    }

    private String row(String title, Function<Way, String> cell) {
        return "%-28s".formatted(title)
                + ways.stream().map(way -> "%22s".formatted(cell.apply(way))).collect(Collectors.joining());
    }

    private String cell(Way way, Load load, Figure figure) {
        return median(way, load, figure)
                .map(its -> figure.format(its)
                        + ratio(way, load, figure)
                                .map(times -> String.format(Locale.ROOT, " (%.2fx)", times))
                                .orElse(""))
                .orElse("-");
    }

    /** By the key of the way. */
    JsonObject json() {
        JsonObject.Builder all = JsonObject.builder();
        for (Way way : ways) {
            JsonObject.Builder one = JsonObject.builder();
            for (Load load : Load.values()) {
                JsonObject.Builder its = JsonObject.builder();
                load.figures()
                        .forEach(figure -> spread(way, load, figure)
                                .ifPresent(spread -> its.put(figure.key(), figure(way, load, figure, spread))));
                one.put(load.key(), its.build());
            }
            addedMs(way).ifPresent(added -> one.put("added_p50_ms", added));
            all.put(way.key(), one.build());
        }
        return all.build();
    }

    private JsonObject figure(Way way, Load load, Figure figure, Spread spread) {
        return JsonObject.builder()
                .put("median", spread.median())
                .put("times_alone", ratio(way, load, figure).orElse(null))
                .put("values", List.copyOf(values.getOrDefault(new Place(way, load, figure), List.of())))
                .build();
    }

    List<String> faults() {
        return List.copyOf(faults);
    }
}

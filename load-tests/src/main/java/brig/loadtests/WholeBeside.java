package brig.loadtests;

import brig.loadtests.product.AgentFile;
import brig.loadtests.product.Brig;
import brig.loadtests.product.JvmOptions;
import brig.loadtests.product.ServeSettings;
import brig.loadtests.whole.Costs;
import brig.loadtests.whole.Disturbance;
import brig.loadtests.whole.Load;
import brig.loadtests.whole.Paced;
import brig.loadtests.whole.Sessions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Quiet streams, undisturbed and disturbed by turns, since a machine differs from itself a minute later. */
final class WholeBeside {
    private static final double MIB = 1024.0 * 1024;
    private static final int PERCENT = 100;

    private final Load load;
    private final List<Disturbance.Kind> kinds;
    private final int rounds;
    private final List<Double> quietMs = new ArrayList<>();
    private final Map<Disturbance.Kind, List<Double>> besideMs = new EnumMap<>(Disturbance.Kind.class);

    WholeBeside(Load load, List<Disturbance.Kind> kinds, int rounds) {
        this.load = load;
        this.kinds = kinds;
        this.rounds = rounds;
    }

    /** @return whether each line was read once, in order */
    boolean run(Report report) throws IOException {
        Map<String, AgentFile> agents = new HashMap<>(Sessions.agents(load.rate()));
        agents.putAll(Disturbance.agents());
        Brig.Launch launch = new Brig.Launch(
                Brig.home(),
                ServeSettings.DEFAULTS.withWorkers(WholePath.WORKERS_MAX),
                List.of(),
                JvmOptions.NONE.gateway(JvmOptions.WHOLE_COLLECTIONS));
        boolean complete = true;
        try (Brig brig = Brig.start(agents, launch)) {
            Sessions own = Sessions.of(brig);
            List<String> quiet = own.spawn(Sessions.PACED, load.streams());
            report.row(List.of("beside", "MiB/s", "p50 ms", "p99 ms", "p99.9 ms"));
            for (int round = 0; round < rounds; round++) {
                complete &= besideNothing(brig, quiet, report);
                for (Disturbance.Kind kind : kinds) {
                    complete &= beside(kind, brig, quiet, report);
                    complete &= besideNothing(brig, quiet, report);
                }
            }
            own.terminate(quiet);
        }
        besideMs.forEach((kind, p99Ms) ->
                report.value("beside_" + kind + ".p99_percent", median(p99Ms) / median(quietMs) * PERCENT));
        return complete;
    }

    private boolean besideNothing(Brig brig, List<String> quiet, Report report) throws IOException {
        Paced paced = Paced.measure(load, brig.httpSocket(), quiet, () -> Costs.of(brig));
        quietMs.add(paced.result().p99Ms());
        return row("nothing", 0, paced, report);
    }

    private boolean beside(Disturbance.Kind kind, Brig brig, List<String> quiet, Report report) throws IOException {
        try (Disturbance disturbance = Disturbance.begin(kind, brig)) {
            long before = disturbance.bytes();
            Paced paced = Paced.measure(load, brig.httpSocket(), quiet, () -> Costs.of(brig));
            double mib = (disturbance.bytes() - before) / MIB;
            besideMs.computeIfAbsent(kind, first -> new ArrayList<>())
                    .add(paced.result().p99Ms());
            return row(kind.toString(), mib / (load.warmUpSeconds() + load.seconds()), paced, report);
        }
    }

    private static boolean row(String name, double mib, Paced paced, Report report) {
        report.row(List.of(
                name,
                Report.number(mib),
                Report.precise(paced.result().p50Ms()),
                Report.precise(paced.result().p99Ms()),
                Report.precise(paced.result().p999Ms())));
        return paced.isComplete();
    }

    private static double median(List<Double> values) {
        return Report.percentile(
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray(), 50);
    }
}

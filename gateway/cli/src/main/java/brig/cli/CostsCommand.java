package brig.cli;

import brig.protocol.BrigException;
import brig.protocol.api.CostList;
import brig.protocol.api.SandboxView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code brig costs}. */
@Command(
        name = "costs",
        description = {
            "Sum what requests to models cost, in US dollars.",
            "Counted are requests through model routes, as far back as the audit goes. Requests to models without a price are in UNPRICED.",
            "Below them are the sandboxes that providers have now, with their age and price. --all also lists what others have there."
        },
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  brig costs --since 24h                 by agent, of the last day",
            "  brig costs --by model --spawn build    of one session",
            "  brig costs --by day --csv              for a spreadsheet",
            "  brig costs --all                       with sandboxes that others have at the providers"
        })
final class CostsCommand implements Callable<Integer> {
    @ParentCommand
    private Main main = new Main();

    @Option(
            names = "--by",
            paramLabel = "WHAT",
            description = "What to sum by: agent, captain, model, day, session.",
            defaultValue = "agent")
    private String by = "agent";

    @Option(names = "--spawn", paramLabel = "ID", description = "Only requests of this session.")
    private @Nullable String spawn;

    @Option(names = "--since", paramLabel = "AGE", description = "Only requests younger than this: 90s, 15m, 24h, 30d.")
    private @Nullable String since;

    @Option(names = "--csv", description = "Print comma-separated values, without a total.")
    private boolean csv;

    @Option(names = "--all", description = "Also list sandboxes that are none of this gateway's. For admins.")
    private boolean all;

    @Override
    public Integer call() {
        long from = since == null ? 0 : System.currentTimeMillis() - 1000 * TokenCommand.seconds("--since", since);
        JsonObject answer;
        JsonObject sandboxes;
        try (GatewayClient client = main.context().connect()) {
            answer = client.request(new SpawnerRequest.Costs(sumBy(), spawn, from, 0));
        }
        try (GatewayClient client = main.context().connect()) {
            sandboxes = client.request(new SpawnerRequest.Sandboxes(all));
        }
        CostList list = answer.as(CostList.class);
        if (main.json()) {
            main.terminal().json(answer.overlaid(sandboxes));
        } else if (csv) {
            csv(sumBy(), list).forEach(main.terminal()::println);
        } else {
            table(list);
            new SandboxTable(main.terminal()).print(sandboxes.as(SandboxView.SandboxList.class));
        }
        if (!list.complete()) {
            main.terminal().note("the worker-agent does not answer: newer requests may be missing");
        }
        return 0;
    }

    private CostList.By sumBy() {
        return Arrays.stream(CostList.By.values())
                .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(by))
                .findFirst()
                .orElseThrow(() -> BrigException.invalid("--by", "must be agent, captain, model, day or session"));
    }

    private void table(CostList list) {
        List<List<String>> rows = new ArrayList<>();
        list.costs().forEach(row -> rows.add(cells(row.name().isEmpty() ? "(not known)" : row.name(), row)));
        if (rows.isEmpty()) {
            main.terminal().note("no request went through a model route; see brig route --help");
            return;
        }
        rows.add(cells("total", list.total()));
        List<String> head = Stream.concat(
                        Stream.of(sumBy().name()),
                        Stream.of(
                                "USD", "REQUESTS", "UNPRICED", "TOKENS IN", "CACHED", "CACHE WRITES", "OUT", "BUDGET"))
                .toList();
        boolean limited = list.costs().stream().anyMatch(row -> row.budget() != null);
        int columns = limited ? head.size() : head.size() - 1;
        main.terminal()
                .table(
                        head.subList(0, columns),
                        rows.stream().map(row -> row.subList(0, columns)).toList());
    }

    static List<String> cells(String name, CostList.Row row) {
        List<String> cells = new ArrayList<>(List.of(name, String.format(Locale.ROOT, "%.4f", row.cost())));
        counts(row).forEach(cells::add);
        cells.add(row.budget() == null ? "" : row.budget().words());
        return cells;
    }

    private static Stream<String> counts(CostList.Row row) {
        return Stream.of(
                        row.requests(),
                        row.unpriced(),
                        row.inputTokens(),
                        row.cachedInputTokens(),
                        row.cacheWriteInputTokens(),
                        row.outputTokens())
                .map(String::valueOf);
    }

    /** Lines as RFC 4180 has them. A name that a spreadsheet would take for a formula begins with an apostrophe. */
    static List<String> csv(CostList.By by, CostList list) {
        List<String> lines = new ArrayList<>();
        lines.add(by.name().toLowerCase(Locale.ROOT)
                + ",usd,requests,unpriced,input_tokens,cached_input_tokens,cache_write_input_tokens,output_tokens");
        for (CostList.Row row : list.costs()) {
            lines.add(quoted(row.name()) + "," + row.cost() + ","
                    + String.join(",", counts(row).toList()));
        }
        return lines;
    }

    private static String quoted(String name) {
        boolean formula = !name.isEmpty() && "=+-@\t\r".indexOf(name.charAt(0)) >= 0;
        return '"' + (formula ? "'" : "") + name.replace("\"", "\"\"") + '"';
    }
}

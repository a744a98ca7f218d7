package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import brig.protocol.json.JsonObject;
import brig.workeragent.RealAgents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many walled sessions share the budget of the one above them: what the provider writes on its bill is within it. */
@Timeout(300)
@Order(2)
@Tag("slow")
class BudgetTreeTest {
    private static final int CHILDREN = 64;
    private static final int TIMES_MAX = 500;
    private static final long NANOS = 1_000_000_000;
    /** What a refusal says of the money, in percent: what is used up, what is reserved, what the request may take. */
    private static final Pattern REFUSED = Pattern.compile(
            "(\\d+) % of its money is used up, (?:(\\d+) % is reserved for requests under way, )?and this may take (?:more than )?(\\d+) %");
    /** Each of the three percentages is rounded. */
    private static final int WHOLE = 98;

    private static BudgetSite site;

    @BeforeAll
    static void start() throws IOException {
        assumeTrue(Files.exists(Path.of("/usr/bin/curl")), "curl is not here");
        Product product = FarAgents.prepare();
        if (ScriptedModel.isHere()) {
            product.with("NODE_PATH=" + RealAgents.places());
        }
        site = new BudgetSite(product);
        product.serve();
    }

    @AfterAll
    static void stop() throws IOException {
        if (site != null) {
            site.close();
        }
    }

    private static String body(int child) {
        return "{\"model\":\"billed\",\"child\":%d,\"max_tokens\":%d%s}"
                .formatted(child, 100 + 3 * child, child % 2 == 0 ? ",\"stream\":true" : "");
    }

    /** All of them ask again and again until they are refused. @return the answers that each of them got */
    private static List<List<String>> askAtOnce(Spawned root, String agent) throws IOException {
        List<Spawned> children = new ArrayList<>();
        for (int i = 0; i < CHILDREN; i++) {
            children.add(site.below(root, agent, BudgetSite.asking(agent, body(i), TIMES_MAX)));
        }
        List<List<String>> answers = new ArrayList<>();
        for (Spawned child : children) {
            answers.add(BudgetSite.output(child));
        }
        return answers;
    }

    /** Nobody was refused as long as there was surely room. */
    private static void requireReasons(Spawned root) throws IOException {
        int refusals = 0;
        Path audit = site.product().folder().resolve("state/egress/audit/egress.jsonl");
        for (String line : Files.readAllLines(audit, StandardCharsets.UTF_8)) {
            Matcher why = REFUSED.matcher(line);
            if (why.find()) {
                refusals++;
                long reserved = why.group(2) == null ? 0 : Long.parseLong(why.group(2));
                assertTrue(Long.parseLong(why.group(1)) + reserved + Long.parseLong(why.group(3)) >= WHOLE, line);
            }
        }
        assertTrue(refusals >= CHILDREN, () -> "refusals of " + root.id());
    }

    /**
     * Scenario: all children wait for their first answer at once, then ask until they are refused. The provider makes any
     * part of the output that a request allows, or twice as much as it allows.
     */
    @ParameterizedTest
    @CsvSource({"honest, 0", "greedy, 2"})
    void shouldNotBeBilledForMoreThanThereIs(String agent, long timesAllowed) throws IOException {
        try (BilledModel model = new BilledModel(CHILDREN, timesAllowed)) {
            site.addAgent(agent, model);
            Spawned root = site.root(1);
            List<List<String>> answers = askAtOnce(root, agent);
            for (List<String> each : answers) {
                assertEquals("400", each.getLast(), each::toString);
                assertTrue(each.subList(0, each.size() - 1).stream().allMatch("200"::equals), each::toString);
                assertTrue(each.size() > 1, "everybody was served once");
            }
            assertEquals(
                    model.answers(),
                    answers.stream().mapToInt(List::size).sum() - CHILDREN,
                    "no request came to the provider but those");
            assertEquals(new BudgetSite.Purse(model.billed(), 0), site.purse(root.id()));
            long reserved = 0;
            for (int i = 0; i < CHILDREN; i++) {
                reserved += BudgetSite.most(body(i), 100 + 3 * i);
            }
            long limit = timesAllowed == 0 ? NANOS : NANOS + reserved;
            assertTrue(model.billed() <= limit, () -> model.billed() + " of " + limit);
            assertTrue(model.billed() > NANOS - reserved, () -> "all of it is used: " + model.billed());
            if (timesAllowed == 0) {
                site.requireRoom(root, agent, NANOS - model.billed());
                assertTrue(model.billed() <= NANOS, () -> model.billed() + " with the last request");
            }
            requireReasons(root);
            site.product().brig("terminate", root.id());
        }
    }

    /** The sum that the scripted model wrote on its bill. */
    private static long billed(Path bills) throws IOException {
        long sum = 0;
        for (String line : Files.readAllLines(bills, StandardCharsets.UTF_8)) {
            JsonObject bill = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
            sum += (bill.number("input_tokens", 0) + bill.number("prompt_tokens", 0)) * 1_000
                    + (bill.number("output_tokens", 0) + bill.number("completion_tokens", 0)) * BilledModel.OUTPUT;
        }
        return sum;
    }

    /** Scenario: each works below the same session, and delegates; Codex would wait 30 s for what it delegated. */
    @Test
    void shouldCountWhatTheRealAgentsTogetherAreBilled() throws IOException {
        assumeTrue(ScriptedModel.isHere(), "no node");
        FarAgents.ALL.forEach(RealAgents::require);
        Path bills = site.product().folder().resolve("bills");
        try (ScriptedModel model = ScriptedModel.billing(bills)) {
            for (String agent : FarAgents.ALL) {
                FarAgents.route(site.product(), agent, model);
            }
            Spawned root = site.root(20);
            List<Spawned> children = new ArrayList<>();
            for (String agent : FarAgents.ALL) {
                children.add(
                        site.below(root, agent, agent.equals("codex") ? "#scenario:shells" : "#scenario:subagent-fg"));
            }
            for (Spawned child : children) {
                BudgetSite.output(child);
            }
            assertTrue(billed(bills) > 0);
            assertEquals(new BudgetSite.Purse(billed(bills), 0), site.purse(root.id()));
            site.product().brig("terminate", root.id());
        }
    }
}

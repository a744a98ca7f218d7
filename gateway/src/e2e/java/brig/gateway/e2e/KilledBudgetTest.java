package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process is killed while a model works on a request that is reserved, and not settled yet. */
@Timeout(300)
@Order(2)
@Tag("slow")
class KilledBudgetTest {
    /** What is killed. */
    enum Victim {
        EGRESS,
        WORKER_AGENT,
        GATEWAY
    }

    private static final String AGENT = "killed";
    private static final long NANOS = 1_000_000_000;
    private static final int TOKENS = 1_000;
    private static final String QUICK = "{\"model\":\"billed\",\"max_tokens\":" + TOKENS + "}";
    private static final String HELD = "{\"model\":\"billed\",\"held\":true,\"max_tokens\":" + TOKENS + "}";

    private BudgetSite site;
    private BilledModel model;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(Files.exists(Path.of("/usr/bin/curl")), "curl is not here");
        site = new BudgetSite(FarAgents.prepare());
        site.product().serve();
        model = new BilledModel(1, 0);
        site.addAgent(AGENT, model);
    }

    @AfterEach
    void stop() throws IOException {
        if (site != null) {
            site.close();
            model.close();
        }
    }

    private void kill(Victim victim) throws IOException {
        Product product = site.product();
        ProcessHandle workerAgent = product.workerAgents().getFirst();
        switch (victim) {
            case EGRESS ->
                workerAgent
                        .descendants()
                        .filter(process -> Processes.arguments(process).stream()
                                .anyMatch(argument -> argument.endsWith("EgressMain")))
                        .forEach(ProcessHandle::destroyForcibly);
            case WORKER_AGENT -> {
                workerAgent.destroyForcibly();
                Await.until("it is gone", () -> !workerAgent.isAlive());
            }
            case GATEWAY -> {
                product.kill();
                product.serve();
            }
        }
    }

    /** A session below the first one can be started, which takes a while after a death. */
    private void awaitService(Spawned root) throws IOException {
        Await.until(
                "a session is served",
                () -> site.product()
                        .ask(BudgetSite.requestBelow(root, AGENT, "true"))
                        .text("status", "")
                        .equals("spawned"));
    }

    @ParameterizedTest
    @EnumSource
    void shouldForgetNothingAndCountNothingTwice(Victim victim) throws IOException {
        Spawned root = site.root(1);
        Spawned child =
                site.below(root, AGENT, BudgetSite.asking(AGENT, QUICK, 3) + "; " + BudgetSite.asking(AGENT, HELD, 1));
        model.awaitHeld();
        long quick = model.billed();
        BudgetSite.Purse before = site.purse(root.id());
        assertEquals(quick, before.used());
        long most = BudgetSite.most(HELD, TOKENS);
        assertTrue(before.reserved() == most || before.reserved() == most + 1, before::toString);

        kill(victim);
        awaitService(root);
        BudgetSite.Purse after = site.purse(root.id());
        assertEquals(quick + before.reserved(), after.used() + after.reserved());
        site.requireRoom(root, AGENT, NANOS - quick - before.reserved());

        long known = model.billed();
        model.release();
        if (victim == Victim.GATEWAY) {
            assertEquals(List.of("200", "200", "200", "200"), BudgetSite.output(child));
        }
        Await.until("the provider wrote its bill", () -> model.answers() == 5);
        long counted = victim == Victim.GATEWAY ? model.billed() : known + before.reserved();
        assertEquals(new BudgetSite.Purse(counted, 0), site.purse(root.id()));
        assertTrue(counted >= model.billed(), () -> counted + " is less than the bill of " + model.billed());
        site.requireRoom(root, AGENT, NANOS - counted);
    }
}

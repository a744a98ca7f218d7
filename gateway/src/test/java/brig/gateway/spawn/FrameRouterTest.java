package brig.gateway.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.stream.Frames;
import brig.gateway.telemetry.Exposition;
import brig.gateway.telemetry.GaugeReadings;
import brig.gateway.telemetry.LoopWatch;
import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.SpawnState;
import brig.protocol.api.BudgetView;
import brig.protocol.api.SpawnActivity;
import brig.protocol.api.SpawnView;
import brig.protocol.egress.BudgetAmount;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Frames one by one, and what each of them changes. */
class FrameRouterTest {
    private final SpawnBench bench = new SpawnBench();
    private final Spawn spawn = bench.run("fix");
    private final BlockedRequests blocked = new BlockedRequests(() -> bench.nowMs);
    private final List<String> changes = new ArrayList<>();
    private final AskEvents asks = new AskEvents(bench.counters);
    private final FrameDecoder frames =
            new FrameDecoder(new FrameRouter(spawn, blocked, bench.counters, asks, new FrameRouter.Changes() {
                @Override
                public void handleExit(SpawnView.Exit exit) {
                    note("exit " + exit);
                }

                @Override
                public void handleAgentSession(String sessionId) {
                    note("session " + sessionId);
                }

                @Override
                public void handleTerminated() {
                    note("terminated");
                }
            }));

    private long lastSeq;

    /** A change, and which frame was the newest in the log by then. */
    private void note(String change) {
        changes.add(spawn.log().lastSeq() + " " + change);
    }

    /** @param fields JSON, with ' for " */
    private void route(String type, String fields) {
        String frame = "{'type':'" + type + "','seq':" + ++lastSeq + ",'ts':1" + fields + "}\n";
        byte[] line = Frames.utf8(frame.replace('\'', '"'));
        frames.decode(line, 0, line.length);
    }

    private List<String> metrics() {
        Exposition exposition = new Exposition(
                bench.counters,
                new LoopWatch(bench.counters, bench.time),
                () -> new GaugeReadings(
                        Map.of(),
                        Map.of(),
                        Map.of(),
                        0,
                        0,
                        Map.of(),
                        0,
                        0,
                        0,
                        true,
                        GaugeReadings.ClusterUse.NONE,
                        List.of()),
                "1");
        return new String(exposition.scrape(), StandardCharsets.UTF_8).lines().toList();
    }

    @ParameterizedTest
    @EnumSource(FrameType.class)
    void shouldAppendFramesOfEveryType(FrameType type) {
        route(type.wireName(), "");
        assertEquals(1, spawn.log().lastSeq());
    }

    @Test
    void shouldTellTheFirstChunkThatDidNotStayWhereItArrived() {
        spawn.log().atFirstChunk(() -> note("chunk"));
        route("tool", ",'id':'t1'");
        route("chunk", ",'content':'hi','stream':'text'");
        route("chunk", ",'content':'!','stream':'text'");
        assertEquals(List.of("2 chunk"), changes);
    }

    @Test
    void shouldFollowWhatTheSessionDoes() {
        assertEquals(SpawnActivity.IDLE, spawn.doing());
        route("message", ",'message_id':'1.1','content':'go'");
        assertEquals(SpawnActivity.WORKING, spawn.doing());
        route("egress", ",'kind':'ask','host':'a.example','port':443,'method':'GET','rule':'r'");
        assertEquals(SpawnActivity.WORKING, spawn.doing(), "its ask frame tells");
        route(
                "ask",
                ",'ask_id':'ask_1','kind':'egress','title':'GET a.example:443','options':[],'deadline':5,'default':'deny'");
        assertEquals(SpawnActivity.WAITING, spawn.doing());
        assertEquals("ask_1", spawn.asks().open().getFirst().ask().askId());
        route("answered", ",'ask_id':'ask_1','option':'once','reason':'person'");
        assertEquals(SpawnActivity.WORKING, spawn.doing());
        route("done", ",'exit_code':0");
        assertEquals(SpawnActivity.IDLE, spawn.doing());
    }

    @Test
    void shouldFollowAProviderThatLimitsTheRate() {
        route("message", ",'message_id':'1.1','content':'go'");
        route("egress", ",'kind':'throttled_by_provider','host':'model.example','port':443,'rule':'r'");
        assertEquals(SpawnActivity.THROTTLED_BY_PROVIDER, spawn.doing());
        assertEquals("model.example:443", spawn.throttlingProvider());
        route("egress", ",'kind':'provider_resumed','host':'model.example','port':443,'waited_ms':2500");
        assertEquals(SpawnActivity.WORKING, spawn.doing());
        assertTrue(
                metrics().contains("brig_provider_wait_seconds_total 2.5"),
                () -> metrics().toString());
        route("egress", ",'kind':'throttled_by_provider','host':'model.example','port':443,'rule':'r'");
        route("done", ",'exit_code':0");
        assertEquals(SpawnActivity.IDLE, spawn.doing(), "whoever waited is gone");
        assertNull(spawn.throttlingProvider());
    }

    @Test
    void shouldTellHowATurnEnded() {
        route("done", ",'exit_code':143,'signal':'SIGTERM','reason':'cancelled','usage':{}");
        assertEquals(List.of("1 exit " + new SpawnView.Exit(143, "SIGTERM", "cancelled")), changes);
    }

    @Test
    void shouldKeepTheExitOfASpawnThatIsOver() {
        spawn.become(SpawnState.TERMINATED, bench.nowMs);
        route("done", ",'exit_code':1");
        assertEquals(List.of(), changes);
    }

    @Test
    void shouldTellTheEndOnlyWhenTheStreamEnds() {
        route("state", ",'state':'running'");
        assertEquals(List.of(), changes);
        route("state", ",'state':'terminated','reason':'once'");
        assertEquals(List.of("2 terminated"), changes);
    }

    @Test
    void shouldTellTheAgentsOwnSession() {
        route("session", ",'session_id':'ses_1','agent':'opencode'");
        route("session", "");
        assertEquals(List.of("1 session ses_1"), changes);
    }

    @Test
    void shouldKeepTheLastFramesForReadersThatComeLate() {
        route("done", ",'exit_code':0");
        route("tool", ",'id':'t1'");
        route("done", ",'exit_code':3");
        route("state", ",'state':'terminated'");
        bench.loop.run();
        spawn.lastWords().handOver(spawn.spawnId(), bench.logs);
        String end = bench.ends.get(spawn.spawnId());
        assertTrue(end.startsWith("3-4 {\"type\":\"done\",\"seq\":3,"), end);
    }

    @Test
    void shouldCountTokensAndRequests() {
        route("usage", ",'input_tokens':12,'output_tokens':0,'cached_input_tokens':5");
        route("usage", ",'source':'egress','input_tokens':10");
        route(
                "egress",
                ",'kind':'blocked','method':'GET','scheme':'https','host':'evil.example','port':443,'path':'/','rule':'r','dropped':4");
        List<String> metrics = metrics();
        assertTrue(
                metrics.containsAll(List.of(
                        "brig_tokens_total{agent=\"shell\",kind=\"input\",source=\"agent\"} 12.0",
                        "brig_tokens_total{agent=\"shell\",kind=\"cached_input\",source=\"agent\"} 5.0",
                        "brig_tokens_total{agent=\"shell\",kind=\"input\",source=\"egress\"} 10.0",
                        "brig_egress_decisions_total{decision=\"blocked\"} 1.0",
                        "brig_egress_untold_total 4.0")),
                metrics::toString);
    }

    private static final String MONEY =
            ",'percent':0,'scope':'session','used':{'usd':%s},'reserved':{'usd':0.25},'limit':{'usd':2}%s";

    @Test
    void shouldShowAndCountWhatIsUsedUp() {
        route(
                "budget",
                ",'percent':0,'scope':'session','used':{'usd':0,'wall_ms':0},'reserved':{},'limit':{'usd':1,'wall_ms':1000}");
        route("usage", ",'source':'egress','input_tokens':10,'output_tokens':1,'cost':0.5");
        route("budget", MONEY.formatted("1.5", ""));
        route("budget", MONEY.formatted("1.5", ",'refused':'no room'"));
        route("budget", ",'percent':80,'scope':'above','used':{'usd':8},'reserved':{},'limit':{'usd':10}");
        assertEquals(
                new BudgetView(
                        75,
                        new BudgetAmount(1.5, null, null, 0L),
                        new BudgetAmount(0.25, null, null, null),
                        new BudgetAmount(2.0, null, null, 1000L)),
                spawn.view().budget());
        List<String> metrics = metrics();
        assertTrue(
                metrics.containsAll(List.of(
                        "brig_cost_usd_total{agent=\"shell\",source=\"egress\"} 0.5",
                        "brig_budget_refusals_total{scope=\"session\"} 1.0",
                        "brig_budget_refusals_total{scope=\"day\"} 0.0")),
                metrics::toString);
    }

    @Test
    void shouldLogRequestsThatWereBlocked() {
        for (int i = 0; i <= BlockedRequests.LINES_PER_SECOND_MAX; i++) {
            route(
                    "egress",
                    ",'kind':'blocked','method':'GET','scheme':'https','host':'evil.example','port':443,'path':'/','rule':'r'");
        }
        assertEquals(1, blocked.leftOut());
    }

    /** @param ask JSON of an ask's fields after its id, with ' for " */
    private void routeAsk(String askId, String ask) {
        route(
                "ask",
                ",'ask_id':'" + askId + "','title':'Bash','options':[{'id':'allow','name':'Allow'}],'deadline':9,"
                        + "'default':'allow'" + ask);
    }

    @Test
    void shouldCountAuditAndTellAnAskAndItsEndOnce() {
        String id = Ids.newAskId(0);
        routeAsk(id, ",'kind':'tool'");
        routeAsk(id, ",'kind':'tool'");
        assertEquals(List.of("ask " + id), bench.asked);
        lastSeq = 2;
        route("answered", ",'ask_id':'" + id + "','option':'allow','by':'ann','via':'http','reason':'person'");
        assertEquals(List.of("ask " + id, "settled " + id + " PERSON"), bench.asked);
        List<String> metrics = metrics();
        assertTrue(
                metrics.containsAll(List.of(
                        "brig_asks_settled_total{kind=\"tool\",reason=\"person\"} 1.0",
                        "brig_ask_wait_seconds_sum 0.001")),
                metrics::toString);
    }

    @Test
    void shouldAuditAnAskOfAnEarlierGatewayToo() {
        route("answered", ",'ask_id':'" + Ids.newAskId(0) + "','option':'deny','reason':'deadline'");
        assertTrue(metrics().contains("brig_asks_settled_total{kind=\"unknown\",reason=\"deadline\"} 1.0"));
    }

    @Test
    void shouldAuditWhoAnsweredHowAndAfterWhatTimeButNoText() {
        Frame.Answered answered = new Frame.Answered(
                "ask_1", null, "the password is hunter2", "ann", "webhook", Frame.Answered.Reason.PERSON);
        JsonObject audited = AskEvents.audited(spawn, answered, Frame.Ask.Kind.QUESTION, 1_500L);
        assertEquals("ann", audited.text("captain"));
        assertEquals("webhook", audited.text("via"));
        assertEquals("person", audited.text("reason"));
        assertEquals("question", audited.text("kind"));
        assertEquals(1_500, audited.number("waited_ms", 0));
        assertFalse(audited.toString().contains("hunter2"));
    }

    @Test
    void shouldDropWhatIsNoFrame() {
        byte[] line = Frames.utf8("garbage\n");
        frames.decode(line, 0, line.length);
        assertEquals(0, spawn.log().lastSeq());
        assertEquals(List.of(), changes);
    }

    @Test
    void shouldHaveAFrameInTheLogBeforeItIsFoundToBeMalformed() {
        assertThrows(BrigException.class, () -> route("session", ",'session_id':}"));
        assertEquals(1, spawn.log().lastSeq());
        assertFalse(spawn.state().isFinal());
    }
}

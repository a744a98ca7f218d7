package brig.workeragent.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.policy.HostPattern;
import brig.formats.adapter.Asks.Request;
import brig.formats.adapter.Frames;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.EgressDecision;
import brig.protocol.egress.BudgetAmount;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import brig.protocol.spawn.Budget;
import brig.protocol.wire.FrameType;
import brig.workeragent.pump.Outbox;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EgressAsksTest {
    private static final long ASK_MS = 5_000;
    private static final EgressSessions.Person PERSON = new EgressSessions.Person("uid:7", "cli");

    private final Outbox outbox = new Outbox(100_000);
    private final FakeTimers timers = new FakeTimers();
    private final OpenAsks asks = new OpenAsks("spn_1", outbox, timers, 60_000);
    private final List<String> refused = new ArrayList<>();
    private final EgressAsks egress = new EgressAsks(
            asks, new EgressFrames(outbox, timers), spending(), null, (host, rule) -> refused.add(host + " " + rule));
    private FrameTail tail;

    private SpendAsks spending() {
        return spending(Budget.OnLimit.REFUSE, SpendAsks.Raising.CAPTAINS);
    }

    private SpendAsks spending(Budget.OnLimit onLimit, SpendAsks.Raising raising) {
        return new SpendAsks(asks, new EgressFrames(outbox, timers), onLimit, raising, 60_000, new SpendAsks.Actions() {
            @Override
            public void raise() {
                refused.add("raised");
            }

            @Override
            public void end() {
                refused.add("ended");
            }
        });
    }

    private static EgressEvent.Budget used(int percent, String refusal) {
        return new EgressEvent.Budget(
                percent,
                EgressEvent.Budget.Scope.SESSION,
                null,
                new BudgetAmount(percent / 100.0, 9L, null, null),
                new BudgetAmount(0.0, 0L, null, null),
                new BudgetAmount(1.0, null, null, null),
                refusal);
    }

    private EgressAsks spends(Budget.OnLimit onLimit, SpendAsks.Raising raising) {
        return new EgressAsks(
                asks, new EgressFrames(outbox, timers), spending(onLimit, raising), null, (host, rule) -> {});
    }

    @Test
    void shouldAskForMoreWhenMostOfABudgetIsUsedUp() throws Exception {
        EgressAsks spends = spends(Budget.OnLimit.ASK, SpendAsks.Raising.CAPTAINS);
        spends.handleEvent(used(50, null));
        assertEquals(
                "{type=budget, percent=50, scope=session, used={usd=0.5, tokens=9}, reserved={usd=0.0, tokens=0},"
                        + " limit={usd=1.0}}",
                next());
        assertEquals(List.of(), asks.list());
        spends.handleEvent(used(80, null));
        spends.handleEvent(used(100, "no room"));
        assertEquals(1, asks.list().size());
        Frame.Ask ask = asks.list().getFirst();
        assertEquals(Frame.Ask.Kind.SPEND, ask.kind());
        asks.endAll(false);
        assertEquals(1, asks.list().size(), "the session goes on without a process");
        assertEquals("raise|go_on|end", ask.choices());
        assertEquals("go_on", ask.fallback());
        asks.answer(ask.askId(), choice("raise", false));
        assertEquals(List.of("raised"), refused);
        spends.handleEvent(used(80, null));
        asks.answer(asks.list().getFirst().askId(), choice("end", false));
        assertEquals(List.of("raised", "ended"), refused);
    }

    @Test
    void shouldAskNobodyWhenTheSessionIsOver() {
        spends(Budget.OnLimit.ASK, SpendAsks.Raising.CAPTAINS).handleEvent(used(80, null));
        asks.close();
        assertEquals(List.of(), asks.list());
        assertEquals(List.of(), refused);
    }

    @Test
    void shouldLetOnlyAdminsRaiseWhatTheOperatorLimits() {
        EgressAsks spends = spends(Budget.OnLimit.ASK, SpendAsks.Raising.ADMINS);
        spends.handleEvent(used(90, null));
        String id = asks.list().getFirst().askId();
        BrigException refusal = assertThrows(BrigException.class, () -> asks.answer(id, choice("raise", false)));
        assertEquals(ErrorCode.FORBIDDEN, refusal.code());
        asks.answer(id, choice("raise", true));
        assertEquals(List.of("raised"), refused);
        spends(Budget.OnLimit.ASK, SpendAsks.Raising.NOBODY).handleEvent(used(90, null));
        assertEquals("go_on|end", asks.list().getFirst().choices());
    }

    @Test
    void shouldEndASessionWhoseRequestIsRefused() {
        spends(Budget.OnLimit.END, SpendAsks.Raising.CAPTAINS).handleEvent(used(99, null));
        assertEquals(List.of(), refused);
        spends(Budget.OnLimit.END, SpendAsks.Raising.CAPTAINS).handleEvent(used(100, "no room"));
        assertEquals(List.of("ended"), refused);
        spends(Budget.OnLimit.REFUSE, SpendAsks.Raising.CAPTAINS).handleEvent(used(100, "no room"));
        assertEquals(List.of("ended"), refused);
    }

    private static EgressEvent.Ask event(String host) {
        return new EgressEvent.Ask(host, 443, "GET", "not listed", ASK_MS);
    }

    private String ask(String host) {
        egress.handleEvent(event(host));
        return asks.list().getLast().askId();
    }

    private static AnswerChoice choice(String option, boolean admin) {
        return new AnswerChoice(option, null, "uid:7", "http", admin);
    }

    /** The next frame, without the random part of an ask's id. */
    private String next() throws InterruptedException {
        tail = tail == null ? new FrameTail(outbox) : tail;
        return tail.next().replaceAll("ask_[0-9a-z]{24}", "ID");
    }

    private void skip(int frames) throws InterruptedException {
        for (int i = 0; i < frames; i++) {
            next();
        }
    }

    private static String answered(boolean allowed, String rule) {
        return "{type=egress, kind=answered, host=a.example, port=443, allowed=" + allowed + ", rule=" + rule + "}";
    }

    @Test
    void shouldAskOnceForAHostUntilBrigEgressEndsTheRequest() throws InterruptedException {
        ask("a.example");
        egress.handleEvent(event("a.example"));
        assertEquals(
                "{type=ask, ask_id=ID, kind=egress, native_id=a.example:443, title=GET a.example:443,"
                        + " detail={host=a.example, port=443, method=GET, rule=not listed},"
                        + " options=[{id=once, name=Allow this request}, "
                        + "{id=allow, name=Allow for the session}, "
                        + "{id=save, name=Allow, also in the policy, "
                        + "description=For admins: it holds for all sessions.}, "
                        + "{id=deny, name=Deny}], deadline=6000, default=deny}",
                next());
        assertEquals(
                "{type=egress, kind=ask, host=a.example, port=443, method=GET, rule=not listed, deadline_ms=5000}",
                next());
        egress.handleEvent(new EgressEvent.Answered("a.example", 443, false, "who asked ended"));
        assertEquals("{type=answered, ask_id=ID, reason=withdrawn}", next());
        assertEquals(answered(false, "who asked ended"), next());
        egress.handleEvent(new EgressEvent.Answered("a.example", 443, false, "again"));
        assertEquals(4, outbox.lastSeq());
        assertEquals(List.of(), refused);
        assertEquals(0, timers.waiting());
    }

    @Test
    void shouldSayThatThePolicyAllowedItWhenNobodyAnswered() throws InterruptedException {
        ask("a.example");
        egress.handleEvent(new EgressEvent.Answered("a.example", 443, true, "allowedHosts has a.example"));
        skip(2);
        assertEquals("{type=answered, ask_id=ID, option=allow, reason=policy}", next());
        assertEquals(answered(true, "allowedHosts has a.example"), next());
    }

    @Test
    void shouldRefuseAtTheDeadlineWhateverBrigEgressDoes() throws InterruptedException {
        ask("a.example");
        timers.advance(ASK_MS);
        egress.handleEvent(new EgressEvent.Answered("a.example", 443, false, "late"));
        skip(2);
        assertEquals("{type=answered, ask_id=ID, option=deny, reason=deadline}", next());
        assertEquals(answered(false, "not listed, and nobody allowed it in time"), next());
        assertEquals(4, outbox.lastSeq());
        assertEquals(List.of("a.example:443 not listed, and nobody allowed it in time"), refused);
    }

    @Test
    void shouldGiveTheAnswerOfAPersonToBothKindsOfReaders() throws InterruptedException {
        String id = ask("a.example");
        assertEquals("a.example:443", asks.answer(id, choice("once", false)).nativeId());
        skip(2);
        assertEquals("{type=answered, ask_id=ID, option=once, by=uid:7, via=http, reason=person}", next());
        assertEquals(answered(true, "a person allowed it once"), next());
        egress.handleDecided(HostPattern.parse("a.example:443"), EgressDecision.ONCE, PERSON);
        timers.advance(ASK_MS);
        assertEquals(4, outbox.lastSeq());
        assertEquals(List.of(), refused, "who passed the answer on carries it out");
        assertEquals("{type=ask", nextAfterAsking("a.example"), "for the next request");
    }

    private String nextAfterAsking(String host) throws InterruptedException {
        egress.handleEvent(event(host));
        return next().split(",", 2)[0];
    }

    @Test
    void shouldLetOnlyAdminsChangeThePolicy() {
        String id = ask("a.example");
        BrigException refusal = assertThrows(BrigException.class, () -> asks.answer(id, choice("save", false)));
        assertEquals(ErrorCode.FORBIDDEN, refusal.code());
        assertEquals(1, asks.list().size(), "it waits as before");
        asks.answer(id, choice("save", true));
        assertEquals(List.of(), asks.list());
    }

    @Test
    void shouldSettleWhatADecisionAboutHostsCovers() throws InterruptedException {
        ask("a.example");
        ask("b.other");
        egress.handleDecided(HostPattern.parse("*.a.example"), EgressDecision.SAVE, PERSON);
        assertEquals(2, asks.list().size(), "a.example is not below itself");
        egress.handleDecided(HostPattern.parse("a.example"), EgressDecision.DENY, PERSON);
        skip(4);
        assertEquals("{type=answered, ask_id=ID, option=deny, by=uid:7, via=cli, reason=person}", next());
        assertEquals(answered(false, "a person refused it"), next());
        assertEquals("b.other:443", asks.list().getFirst().nativeId());
        assertEquals(List.of(), refused);
    }

    @Test
    void shouldSettleOneAskWithADecisionForOneRequest() {
        ask("a.x.example");
        ask("b.x.example");
        egress.handleDecided(HostPattern.parse("*.x.example"), EgressDecision.ONCE, PERSON);
        assertEquals(
                List.of("b.x.example:443"),
                asks.list().stream().map(Frame.Ask::nativeId).toList());
    }

    @Test
    void shouldEndWithItsTurnAndRefuseTheRequestOnlyIfItWaits() throws InterruptedException {
        ask("a.example");
        asks.endAll(true);
        skip(2);
        assertEquals("{type=answered, ask_id=ID, reason=ended}", next());
        assertEquals(answered(false, "the agent ended, or its turn was cancelled"), next());
        ask("a.example");
        asks.endAll(false);
        assertEquals(List.of("a.example:443 the agent ended, or its turn was cancelled"), refused);
    }

    /** Scenario: an event of brig-egress comes between the end of the worker and its last frame, or after it. */
    @Test
    void shouldAskNothingAfterTheEndOfTheWorker() {
        ask("a.example");
        asks.close();
        egress.handleEvent(event("b.example"));
        outbox.appendLast(FrameType.STATE, Frames.body(1, new Frame.State(Frame.State.TERMINATED, null)));
        long last = outbox.lastSeq();
        egress.handleEvent(event("c.example"));
        timers.advance(ASK_MS);
        assertEquals(last, outbox.lastSeq());
        assertEquals(List.of(), asks.list());
        assertEquals(2, refused.size());
    }

    /** Scenario: an agent asks without end, and nobody reads its stream. */
    @Test
    void shouldRefuseAtOnceWithoutRoom() {
        Outbox small = new Outbox(20_000);
        OpenAsks few = new OpenAsks("spn_1", small, timers, 60_000);
        EgressAsks hostile = new EgressAsks(
                few, new EgressFrames(small, timers), spending(), null, (host, rule) -> refused.add(host + " " + rule));
        for (int i = 0; i < 10_000; i++) {
            hostile.handleEvent(event("h" + i + ".example"));
            hostile.handleEvent(new EgressEvent.Answered("h" + i + ".example", 443, false, "gone"));
        }
        assertTrue(refused.size() > 9_900, "refused " + refused.size());
        assertTrue(small.lastSeq() < 400, "frames " + small.lastSeq());
        assertEquals(List.of(), few.list());
        assertEquals(0, timers.waiting());
    }

    @Test
    void shouldShareTheBoundOfOpenAsksWithTheAgent() throws InterruptedException {
        for (int i = 0; i < OpenAsks.OPEN_MAX; i++) {
            asks.open(request("r" + i), reply -> {});
        }
        egress.handleEvent(event("a.example"));
        assertEquals(OpenAsks.OPEN_MAX, asks.list().size());
        assertEquals(List.of("a.example:443 not listed, and too much waits for an answer already"), refused);
    }

    private static Request request(String nativeId) {
        return new Request(
                Frame.Ask.Kind.TOOL,
                null,
                nativeId,
                null,
                "Bash",
                null,
                List.of(new Frame.Ask.Option("deny", "Deny")),
                false,
                "deny");
    }

    /** Scenario: the agent takes the id of an ask for a host, to keep it away or to withdraw it. */
    @Test
    void shouldKeepApartWhatTheAgentNamesAlike() throws InterruptedException {
        asks.open(request("a.example:443"), reply -> {});
        ask("a.example");
        asks.withdraw("a.example:443");
        asks.withdraw("a.example:443");
        assertEquals(
                List.of(Frame.Ask.Kind.EGRESS),
                asks.list().stream().map(Frame.Ask::kind).toList());
        egress.handleDecided(HostPattern.parse("a.example"), EgressDecision.ALLOW, PERSON);
        assertEquals(List.of(), asks.list());
    }

    @Test
    void shouldShowNothingHarmfulOfAHostileRequest() {
        String long253 = ("a".repeat(63) + ".").repeat(3) + "b".repeat(61);
        for (String host : List.of("", "a b", "\u001b]0;x\u0007", "x".repeat(70_000), "a.example:80@evil")) {
            egress.handleEvent(new EgressEvent.Ask(host, 443, "GET", "r", ASK_MS));
        }
        assertEquals(List.of(), asks.list());
        assertEquals(5, refused.size());
        egress.handleEvent(new EgressEvent.Ask(long253, 65_535, "\u001b[2J".repeat(100), "r".repeat(20_000), ASK_MS));
        Frame.Ask ask = asks.list().getFirst();
        assertEquals("? " + long253 + ":65535", ask.title());
        assertTrue(Json.write(ask).length < 20_000);
        egress.handleEvent(new EgressEvent.Answered(long253, 65_535, false, "gone"));
        assertEquals(List.of(), asks.list());
    }
}

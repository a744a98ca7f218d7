package brig.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.cli.terminal.Terminal;
import brig.cli.terminal.Terminals;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;

class StreamPrinterTest {
    private static final String WELCOME =
            "{'type':'authenticated','spawn_id':'spn_1','task_id':'t','role':'captain','epoch':'e','from':1,'state':'running'}";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Terminal terminal = Terminals.of(out, err);
    private final StreamPrinter printer = new StreamPrinter(terminal, false);

    private static byte[] bytes(String line) {
        return line.replace('\'', '"').getBytes(UTF_8);
    }

    private void print(StreamPrinter to, String... lines) {
        for (String line : lines) {
            to.print(bytes(line));
        }
    }

    @Test
    void shouldPrintWhoSaysWhat() {
        print(
                printer,
                WELCOME,
                "{'type':'session','seq':1,'ts':1,'session_id':'s','agent':'claude'}",
                "{'type':'message','seq':2,'ts':1,'message_id':'m','content':'Fix it','by':'ci','via':'http'}",
                "{'type':'chunk','seq':3,'ts':1,'stream':'text','content':'I look.'}",
                "{'type':'tool','seq':4,'ts':1,'id':'c','name':'Bash','status':'pending'}",
                "{'type':'tool','seq':5,'ts':1,'id':'c','name':'Bash','status':'running','input':{'command':'ls'}}",
                "{'type':'tool','seq':6,'ts':1,'id':'c','status':'completed','output':'x'}",
                "{'type':'subagent','seq':7,'ts':1,'agent_id':'agent-12345678','subagent_type':'explorer','status':'spawned'}",
                "{'type':'chunk','seq':8,'ts':1,'agent':'agent-12345678','stream':'text','content':'Found.\\n'}",
                "{'type':'chunk','seq':9,'ts':1,'stream':'text','content':'Done.\\n'}");
        assertEquals("""
                I look.
                [Bash] ls
                --- explorer 12345678 ---
                Found.
                --- claude ---
                Done.
                """, out.toString(UTF_8));
        assertEquals("brig: ci by http: Fix it\n", err.toString(UTF_8));
        assertEquals(9, printer.lastSeq());
    }

    @Test
    void shouldSayWhatThePersonMustKnow() {
        print(
                printer,
                WELCOME,
                "{'type':'ask','seq':1,'ts':1,'ask_id':'ask_1','kind':'egress','title':'GET a.test:8080','detail':{'rule':'r'},"
                        + "'options':[{'id':'once','name':'Once'},{'id':'deny','name':'Deny'}],'deadline':5,'default':'deny'}",
                "{'type':'egress','seq':1,'ts':1,'kind':'ask','host':'a.test','port':8080,'method':'GET','rule':'r','deadline_ms':60000}",
                "{'type':'egress','seq':2,'ts':1,'kind':'blocked','method':'GET','scheme':'https','host':'b.test','port':443,"
                        + "'path':'/x','rule':'not listed','secrets':[],'status':403}",
                "{'type':'egress','seq':3,'ts':1,'kind':'weather'}",
                "{'type':'hologram','seq':4,'ts':1}",
                "{'type':'weather','of':'today'}",
                "{'type':'gap','from':5,'to':9,'reason':'evicted'}",
                "{'type':'error','seq':10,'ts':1,'error':'overloaded','code':'MODEL_ERROR'}");
        assertEquals("""
                brig: the agent asks: GET a.test:8080: rule: r
                brig:   brig answer ask_1 once|deny
                brig: blocked GET https://b.test/x: not listed
                brig: frames 5 to 9 are missing: evicted
                brig: overloaded (MODEL_ERROR)
                """, err.toString(UTF_8));
        assertEquals("", out.toString(UTF_8));
    }

    @Test
    void shouldRememberHowItEnded() {
        print(printer, "{'type':'done','seq':1,'ts':1,'exit_code':3,'reason':'timeout'}");
        assertFalse(printer.isEnded());
        print(printer, "{'type':'state','seq':2,'ts':1,'state':'terminated','reason':'completed'}");
        assertTrue(printer.isEnded());
        assertEquals(3, printer.exitCode());
        assertEquals(
                "brig: the agent was ended: its time was over (--timeout, or wallClockMs of its policy)\n",
                err.toString(UTF_8));
    }

    @Test
    void shouldPrintLinesAsTheyCameWhereAProgramReads() {
        StreamPrinter json = new StreamPrinter(terminal, true);
        String lines = WELCOME + "\n{ 'type' : 'hologram', 'seq':1, 'ts':1, 'a' : [ ] }\n";
        print(json, lines.split("\n"));
        assertEquals(lines.replace('\'', '"'), out.toString(UTF_8));
    }

    @Test
    void shouldLeaveOutWhatIsNotWantedAndKnowItAllTheSame() {
        printer.print(bytes("{'type':'done','seq':1,'ts':1,'exit_code':4,'reason':'timeout'}"), false);
        assertEquals("", err.toString(UTF_8));
        assertEquals(4, printer.exitCode());
    }

    @Test
    void shouldRefuseWhereTheSessionCannotBeRead() {
        BrigException refusal = assertThrows(
                BrigException.class,
                () -> print(
                        printer,
                        "{'error':'not yet','code':'SESSION_NOT_READY','state':'spawning','spawn_id':'spn_1'}"));
        assertEquals(ErrorCode.SESSION_NOT_READY, refusal.code());
        assertEquals("spawning", refusal.hints().state());
    }

    private static final String ASK =
            "{'type':'ask','seq':1,'ts':1,'ask_id':'ask_1','kind':'tool','title':'Bash','detail':{'command':'make'},"
                    + "'options':[{'id':'allow','name':'Allow'},{'id':'deny','name':'Deny'}],'deadline':1000000,'default':'deny'}";
    private static final String ANSWERED =
            "{'type':'answered','seq':2,'ts':1,'ask_id':'ask_1','option':'deny','reason':'deadline'}";

    private AskPrompts prompts() {
        return new AskPrompts(terminal, InstantSource.fixed(Instant.EPOCH), answer -> {});
    }

    @Test
    void shouldNameTheCommandThatAnswersWithoutAPersonHere() {
        print(printer, WELCOME, ASK, ANSWERED);
        printer.showAsks();
        assertEquals("""
                brig: the agent asks: Bash: command: make
                brig:   brig answer ask_1 allow|deny
                brig: answered: deny, as nobody answered in time
                """, err.toString(UTF_8));
    }

    @Test
    void shouldNameTheSubAgentThatAsks() {
        print(printer, WELCOME, ASK.replace("'title'", "'agent':'a1','title'"));
        assertTrue(err.toString(UTF_8).startsWith("brig: sub-agent a1 asks: Bash: command: make\n"), err::toString);
    }

    @Test
    void shouldPromptOnceAllLinesAreRead() {
        printer.promptWith(prompts());
        print(printer, WELCOME, ASK);
        assertEquals("", err.toString(UTF_8));
        printer.showAsks();
        printer.showAsks();
        assertEquals("""
                brig: the agent asks: Bash
                  | command: make
                  1  Allow
                  2  Deny
                brig: type a number to answer, or elsewhere: brig answer ask_1 allow|deny (in 1000 s: deny)
                """, err.toString(UTF_8));
    }

    @Test
    void shouldShowAnAskOfThePastWithoutAPrompt() {
        printer.promptWith(prompts());
        print(printer, WELCOME, ASK, ANSWERED);
        printer.showAsks();
        assertEquals("""
                brig: the agent asks: Bash: command: make
                brig: answered: deny, as nobody answered in time
                """, err.toString(UTF_8));
    }

    @Test
    void shouldNotPromptAWatcher() {
        printer.promptWith(prompts());
        print(printer, WELCOME.replace("captain", "watcher"), ASK);
        printer.showAsks();
        assertEquals("""
                brig: the agent asks: Bash: command: make
                brig:   brig answer ask_1 allow|deny
                """, err.toString(UTF_8));
    }

    @Test
    void shouldPassOnAnAskToAProgram() {
        StreamPrinter json = new StreamPrinter(terminal, true);
        json.promptWith(prompts());
        print(json, ASK);
        json.showAsks();
        assertEquals(new String(bytes(ASK), UTF_8) + "\n", out.toString(UTF_8));
        assertEquals("", err.toString(UTF_8));
    }
}

package brig.gateway.openai;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.stream.GapReason;
import brig.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class AnswerSinkTest {
    private final List<String> told = new ArrayList<>();
    private boolean calls;
    private final List<AnswerSink.End> ends = new ArrayList<>();
    private final AnswerSink turn = new AnswerSink(
            new Answer() {
                @Override
                public boolean isWritable() {
                    return false;
                }

                @Override
                public void text(String text) {
                    told.add("text " + text);
                }

                @Override
                public void thought(String text) {
                    told.add("thought " + text);
                }

                @Override
                public void call(AskCall call) {
                    throw new AssertionError("whoever made the turn calls");
                }

                @Override
                public void done(Usage usage) {
                    throw new AssertionError("whoever made the turn ends its answer");
                }

                @Override
                public void fail(ApiError why) {
                    throw new AssertionError("whoever made the turn ends its answer");
                }

                @Override
                public void close() {
                    throw new AssertionError("whoever made the turn closes its answer");
                }
            },
            ask -> calls,
            ends::add);

    private void frames(String... lines) {
        turn.handleLines(String.join(
                        "",
                        List.of(lines).stream()
                                .map(line -> line.replace('\'', '"') + "\n")
                                .toList())
                .getBytes(UTF_8));
    }

    @Test
    void shouldTellTheAgentsOwnWordsAsTextAndAllElseBesideIt() {
        frames(
                "{'type':'state','state':'running'}",
                "{'type':'chunk','stream':'text','content':'Hello'}",
                "{'type':'chunk','stream':'stdout','content':' there'}",
                "{'type':'chunk','stream':'stderr','content':'warning'}",
                "{'type':'chunk','stream':'thought','content':'hm'}",
                "{'type':'chunk','stream':'stdout','tool':'call_1','content':'2 failed'}",
                "{'type':'chunk','agent':'a1','stream':'text','content':'I look'}",
                "{'type':'tool','id':'call_1','name':'bash','title':'make test','status':'running'}",
                "{'type':'tool','id':'call_1','status':'failed','output':'x'}",
                "{'type':'subagent','agent_id':'a1','status':'spawned','subagent_type':'general','prompt':'Find out'}",
                "{'type':'egress','kind':'blocked','method':'GET','scheme':'https','host':'x.test','port':443,'path':'/','rule':'r'}",
                "{'type':'egress','kind':'allowed','method':'GET','scheme':'https','host':'y.test','port':443,'path':'/','rule':'r'}",
                "{'type':'error','code':'MODEL_ERROR','error':'overloaded','retrying':true}",
                "{'type':'something','later':'versions'}");
        assertEquals(
                List.of(
                        "text Hello",
                        "text  there",
                        "thought warning",
                        "thought hm",
                        "thought 2 failed",
                        "thought I look",
                        "thought \n[make test]\n",
                        "thought \n[bash failed]\n",
                        "thought \n[sub-agent general: Find out]\n",
                        "thought \n[blocked: GET x.test]\n",
                        "thought \n[MODEL_ERROR: overloaded]\n"),
                told);
        assertTrue(ends.isEmpty());
    }

    @Test
    void shouldShowWhatAToolIsGivenAndWhatItWrites() {
        frames(
                "{'type':'tool','id':'1','name':'Bash','status':'pending'}",
                "{'type':'tool','id':'1','name':'Bash','title':'List','status':'running','input':{'command':'ls'}}",
                "{'type':'tool','id':'1','status':'running','input':{'command':'ls'}}",
                "{'type':'tool','id':'1','status':'completed','output':'a\\n','more':true}",
                "{'type':'tool','id':'1','status':'completed','output':'b'}");
        assertEquals(List.of("thought \n$ ls\n", "thought a\n", "thought b\n"), told);
        told.clear();
        frames(
                "{'type':'tool','id':'2','name':'read','status':'running','input':{'filePath':'src/a.txt'}}",
                "{'type':'tool','id':'3','name':'exec','status':'running','input':{'cmd':['make','test']}}",
                "{'type':'chunk','stream':'stdout','tool':'3','content':'live'}",
                "{'type':'tool','id':'3','status':'completed','output':'live'}",
                "{'type':'tool','id':'4','name':'odd','title':'Odd','status':'running','input':'no object'}",
                "{'type':'tool','id':'5','status':'failed','output':'unknown call'}");
        assertEquals(
                List.of(
                        "thought \n[read src/a.txt]\n",
                        "thought \n$ make test\n",
                        "thought live",
                        "thought \n[Odd]\n",
                        "thought unknown call\n\n[tool failed]\n"),
                told);
    }

    @Test
    void shouldShowTheBeginningOfAnEndlessOutput() {
        String much = "x".repeat(3000);
        frames("{'type':'tool','id':'1','name':'bash','status':'running','input':{'command':'" + much + "'}}");
        assertEquals("thought \n$ " + "x".repeat(1000) + "\n", told.getFirst());
        told.clear();
        for (int i = 0; i < 100; i++) {
            frames("{'type':'chunk','stream':'stdout','tool':'1','content':'" + much + "'}");
        }
        assertEquals(List.of("thought " + much, "thought " + "x".repeat(1000) + "\n[…]\n"), told);
    }

    @Test
    void shouldEndWithItsFirstDoneAndTellNothingBehindIt() {
        frames(
                "{'type':'done','exit_code':0,'usage':{'input_tokens':7,'output_tokens':3}}",
                "{'type':'chunk','stream':'text','content':'late'}",
                "{'type':'done','exit_code':1}",
                "{'type':'state','state':'terminated'}");
        turn.end();
        assertEquals(List.of(new AnswerSink.End(new Answer.Usage(7, 3), null)), ends);
        assertTrue(told.isEmpty());
    }

    @Test
    void shouldFailWithWhatTheAgentSaysOfItsModel() {
        frames(
                "{'type':'error','code':'MODEL_ERROR','error':'no such model','status':404}",
                "{'type':'done','exit_code':1,'reason':'failed'}");
        assertEquals(
                new ApiError("MODEL_ERROR", "no such model", 404),
                ends.getFirst().failure());
    }

    @Test
    void shouldBeAnAnswerWhenTheProgramFailsByItself() {
        frames("{'type':'chunk','stream':'stdout','content':'no'}", "{'type':'done','exit_code':3}");
        assertNull(ends.getFirst().failure());
        assertEquals(List.of("text no", "thought \n[exit code 3]\n"), told);
    }

    @Test
    void shouldBeAnAnswerWhenTheAgentGotOverItsError() {
        frames("{'type':'error','code':'AGENT_ERROR','error':'once'}", "{'type':'done','exit_code':0}");
        assertNull(ends.getFirst().failure());
    }

    @Test
    void shouldFailWithTheAgentsOwnWordsWhenItEndsWithThem() {
        frames("{'type':'error','code':'MODEL_ERROR','error':'no key','status':401}");
        turn.end();
        assertEquals(
                new ApiError("MODEL_ERROR", "no key", 502),
                ends.getFirst().failure(),
                "the client's own key is another one");
    }

    @Test
    void shouldFailWhenTheWorkerEndsBeforeItsAnswer() {
        frames("{'type':'state','state':'terminated','reason':'requested'}");
        turn.end();
        assertEquals(1, ends.size());
        assertEquals(
                "WORKER_LOST", Objects.requireNonNull(ends.getFirst().failure()).code());
    }

    @Test
    void shouldTellWhatIsLost() {
        turn.gap(3, 9, GapReason.EVICTED);
        turn.notice(ErrorCode.RECORD_LOST, "the record is lost");
        assertEquals(
                List.of(
                        "thought \n[frames 3 to 9 are lost: evicted]\n",
                        "thought \n[RECORD_LOST: the record is lost]\n"),
                told);
    }

    @Test
    void shouldHoldTheWorkerBackForAClientThatIsThereOnly() {
        assertEquals(false, turn.isWritable());
        turn.abandon();
        assertEquals(true, turn.isWritable());
        frames("{'type':'chunk','stream':'text','content':'unheard'}", "{'type':'done','exit_code':0}");
        assertEquals(1, ends.size());
        assertTrue(told.isEmpty());
    }

    @Test
    void shouldSayInTheAnswerWhatWaitsAndHowToAnswerIt() {
        frames(
                "{'type':'ask','seq':1,'ts':1,'ask_id':'ask_1','kind':'tool','agent':'a60f','title':'Bash: \\u001b[2Jx\\ny',"
                        + "'options':[{'id':'allow','name':'A'},{'id':'deny','name':'D'}],'text':true,'deadline':9,'default':'deny'}",
                "{'type':'answered','seq':2,'ts':1,'ask_id':'ask_1','option':'allow','by':'ci','reason':'person'}",
                "{'type':'answered','seq':3,'ts':1,'ask_id':'ask_2','reason':'withdrawn'}");
        assertEquals(List.of(), ends);
        assertEquals(
                List.of(
                        "text \n[sub-agent a60f asks: Bash: \\u001b[2Jx\\ny; answer on Brig's page, or with: "
                                + "brig answer ask_1 allow|deny|--text TEXT]\n",
                        "thought \n[answered: allow]\n",
                        "thought \n[answered: no longer asked]\n"),
                told);
    }

    @Test
    void shouldEndTheAnswerWithAnAskThatTheClientTakesAsACall() {
        calls = true;
        frames(
                "{'type':'ask','seq':4,'ts':1,'ask_id':'ask_1','kind':'tool','title':'Bash',"
                        + "'options':[{'id':'allow','name':'A'}],'deadline':9,'default':'allow'}",
                "{'type':'chunk','seq':5,'ts':1,'stream':'text','content':'later'}");
        assertEquals(List.of(), told);
        AnswerSink.End end = ends.getFirst();
        assertEquals(5, end.nextSeq());
        assertEquals("ask_1", Objects.requireNonNull(end.call()).ask().askId());
        assertEquals(1, ends.size());
    }
}

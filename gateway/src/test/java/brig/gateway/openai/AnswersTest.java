package brig.gateway.openai;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.gateway.time.HandTimers;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The bytes of each form of an answer. */
class AnswersTest {
    private static final AnswerHeader HEAD = new AnswerHeader("spn_1_4", 1_700_000_000, "mock");

    private final HandTimers timers = new HandTimers();
    private final WrittenResponse written = new WrittenResponse();

    private Answer open(Function<WrittenResponse, Answer> form) {
        return form.apply(written);
    }

    private void assertWritten(String expected) {
        assertEquals(expected.strip(), written.body().strip());
    }

    @Test
    void shouldWriteAWholeCompletion() {
        Answer answer = open(to -> new BufferedChat(to.response, HEAD.as("chatcmpl-")));
        answer.thought("hm");
        answer.waits("?");
        answer.text("Hel");
        answer.text("lo");
        answer.done(new Answer.Usage(7, 3));
        assertWritten("""
                {"id":"chatcmpl-spn_1_4","object":"chat.completion","created":1700000000,"model":"mock","choices":\
                [{"index":0,"message":{"role":"assistant","content":"Hello","reasoning_content":"hm?"},"finish_reason":"stop"}],\
                "usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}""");
    }

    @Test
    void shouldWriteACompletionWithoutThoughts() {
        open(to -> new BufferedChat(to.response, HEAD)).done(Answer.Usage.UNKNOWN);
        assertWritten("""
                {"id":"spn_1_4","object":"chat.completion","created":1700000000,"model":"mock","choices":\
                [{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}],\
                "usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}""");
    }

    @Test
    void shouldWriteAnErrorInsteadOfACompletion() {
        open(to -> new BufferedChat(to.response, HEAD)).fail(new ApiError("MODEL_ERROR", "too many", 429));
        assertEquals(429, written.status());
        assertWritten("""
                {"error":{"message":"too many","type":"rate_limit_error","param":null,"code":"MODEL_ERROR"}}""");
    }

    @Test
    void shouldWriteTheChunksOfACompletion() {
        Answer answer = open(to -> new StreamedChat(to.response, HEAD, true, timers));
        answer.text("Hi");
        answer.thought("hm");
        answer.done(new Answer.Usage(7, 3));
        String chunk = "data: {\"id\":\"spn_1_4\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,"
                + "\"model\":\"mock\",\"choices\":";
        assertWritten(chunk
                + "[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}]}\n\n"
                + chunk + "[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":null}]}\n\n"
                + chunk + "[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"},\"finish_reason\":null}]}\n\n"
                + chunk + "[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                + chunk + "[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,\"total_tokens\":10}}\n\n"
                + "data: [DONE]\n\n");
    }

    @Test
    void shouldWriteAnErrorAmongTheChunks() {
        Answer answer = open(to -> new StreamedChat(to.response, HEAD, false, timers));
        int before = written.body().length();
        answer.fail(new ApiError("WORKER_LOST", "gone", 502));
        assertEquals(
                "data: {\"error\":{\"message\":\"gone\",\"type\":\"server_error\",\"param\":null,"
                        + "\"code\":\"WORKER_LOST\"}}\n\ndata: [DONE]\n\n",
                written.body().substring(before));
    }

    private static final String COMPLETED = """
            "output":[{"id":"rs_spn_1_4%s","type":"reasoning","status":"completed","summary":\
            [{"type":"summary_text","text":"hm"}]},{"id":"msg_spn_1_4%s","type":"message","status":"completed",\
            "role":"assistant","content":[{"type":"output_text","text":"Hello","annotations":[]}]}],""";
    private static final String USAGE = """
            {"input_tokens":7,"input_tokens_details":{"cached_tokens":0},"output_tokens":3,\
            "output_tokens_details":{"reasoning_tokens":0},"total_tokens":10}""";

    private static String response(String status, String output, String error, String usage) {
        return "{\"id\":\"resp_spn_1_4\",\"object\":\"response\",\"created_at\":1700000000,\"model\":\"mock\",\"status\":\""
                + status + "\"," + output + """
                        "parallel_tool_calls":false,"tool_choice":"none","tools":[],"error":%s,"incomplete_details":null,\
                        "instructions":null,"metadata":{},"usage":%s}""".formatted(error, usage);
    }

    @Test
    void shouldWriteAWholeResponse() {
        Answer answer = open(to -> new BufferedResponse(to.response, HEAD.as("resp_")));
        answer.thought("hm");
        answer.text("Hello");
        answer.done(new Answer.Usage(7, 3));
        assertWritten(response(
                "completed",
                COMPLETED.formatted("", "").replace("rs_", "rs_resp_").replace("msg_", "msg_resp_"),
                "null",
                USAGE));
    }

    @Test
    void shouldWriteTheEventsOfAResponse() {
        Answer answer = open(to -> new StreamedResponse(to.response, HEAD.as("resp_"), timers));
        answer.thought("hm");
        answer.text("Hello");
        answer.done(new Answer.Usage(7, 3));
        String begun = response("in_progress", "\"output\":[],", "null", "null");
        String completed = response(
                "completed",
                COMPLETED.formatted("_0", "_1").replace("rs_", "rs_resp_").replace("msg_", "msg_resp_"),
                "null",
                USAGE);
        assertWritten("""
                event: response.created
                data: {"type":"response.created","sequence_number":0,"response":%s}

                event: response.output_item.added
                data: {"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":\
                {"id":"rs_resp_spn_1_4_0","type":"reasoning","status":"in_progress","summary":[]}}

                event: response.reasoning_summary_part.added
                data: {"type":"response.reasoning_summary_part.added","sequence_number":2,"item_id":"rs_resp_spn_1_4_0",\
                "output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}

                event: response.reasoning_summary_text.delta
                data: {"type":"response.reasoning_summary_text.delta","sequence_number":3,"item_id":"rs_resp_spn_1_4_0",\
                "output_index":0,"summary_index":0,"delta":"hm"}

                event: response.reasoning_summary_text.done
                data: {"type":"response.reasoning_summary_text.done","sequence_number":4,"item_id":"rs_resp_spn_1_4_0",\
                "output_index":0,"summary_index":0,"text":"hm"}

                event: response.reasoning_summary_part.done
                data: {"type":"response.reasoning_summary_part.done","sequence_number":5,"item_id":"rs_resp_spn_1_4_0",\
                "output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"hm"}}

                event: response.output_item.done
                data: {"type":"response.output_item.done","sequence_number":6,"output_index":0,"item":\
                {"id":"rs_resp_spn_1_4_0","type":"reasoning","status":"completed","summary":\
                [{"type":"summary_text","text":"hm"}]}}

                event: response.output_item.added
                data: {"type":"response.output_item.added","sequence_number":7,"output_index":1,"item":\
                {"id":"msg_resp_spn_1_4_1","type":"message","status":"in_progress","role":"assistant","content":[]}}

                event: response.content_part.added
                data: {"type":"response.content_part.added","sequence_number":8,"item_id":"msg_resp_spn_1_4_1",\
                "output_index":1,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}

                event: response.output_text.delta
                data: {"type":"response.output_text.delta","sequence_number":9,"item_id":"msg_resp_spn_1_4_1",\
                "output_index":1,"content_index":0,"delta":"Hello"}

                event: response.output_text.done
                data: {"type":"response.output_text.done","sequence_number":10,"item_id":"msg_resp_spn_1_4_1",\
                "output_index":1,"content_index":0,"text":"Hello"}

                event: response.content_part.done
                data: {"type":"response.content_part.done","sequence_number":11,"item_id":"msg_resp_spn_1_4_1",\
                "output_index":1,"content_index":0,"part":{"type":"output_text","text":"Hello","annotations":[]}}

                event: response.output_item.done
                data: {"type":"response.output_item.done","sequence_number":12,"output_index":1,"item":\
                {"id":"msg_resp_spn_1_4_1","type":"message","status":"completed","role":"assistant","content":\
                [{"type":"output_text","text":"Hello","annotations":[]}]}}

                event: response.completed
                data: {"type":"response.completed","sequence_number":13,"response":%s}
                """.formatted(begun, completed));
    }

    @Test
    void shouldSayThatAResponseGoesOnAndThatItFailed() {
        Answer answer = open(to -> new StreamedResponse(to.response, HEAD.as("resp_"), timers));
        int before = written.body().length();
        timers.pass(15_000);
        answer.fail(new ApiError("WORKER_LOST", "gone", 502));
        assertEquals(
                """
                event: response.in_progress
                data: {"type":"response.in_progress","sequence_number":1,"response":%s}

                event: response.failed
                data: {"type":"response.failed","sequence_number":2,"response":%s}

                """.formatted(
                        response("in_progress", "\"output\":[],", "null", "null"),
                        response(
                                "failed", "\"output\":[],", "{\"code\":\"WORKER_LOST\",\"message\":\"gone\"}", "null")),
                written.body().substring(before));
    }
}

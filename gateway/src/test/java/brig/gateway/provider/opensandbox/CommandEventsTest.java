package brig.gateway.provider.opensandbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.gateway.deploy.Processes;
import brig.gateway.provider.http.Lines;
import brig.gateway.provider.http.RemoteProgram;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CommandEventsTest {
    private static Processes.Ended follow(String answer) {
        CompletableFuture<Processes.Ended> ended = new CompletableFuture<>();
        RemoteProgram.start(program -> exit(program, answer), ended::complete, Runnable::run);
        return ended.join();
    }

    private static @Nullable Integer exit(RemoteProgram program, String answer) {
        program.handleStarted();
        CommandEvents events = new CommandEvents(program);
        Lines lines = new Lines(events);
        lines.accept(answer.getBytes(UTF_8));
        lines.finish();
        return events.exit();
    }

    @Test
    void shouldGiveLinesTheirEndsBack() {
        Processes.Ended ended = follow("""
                {"type":"init","text":"id","timestamp":1}

                {"type":"stdout","text":"one","timestamp":1}

                {"type":"stdout","text":"\\n","timestamp":1}

                data: {"type":"stderr","text":"bad","timestamp":1}

                {"type":"ping","text":"pong"}

                {"type":"stdout","text":"","timestamp":1}
                {"type":"execution_complete","execution_time":5}
                """);
        assertEquals("one\n\n\n", ended.out().text());
        assertEquals("bad\n", ended.errors().text());
        assertEquals(0, ended.code());
    }

    @Test
    void shouldReadTheExitCode() {
        assertEquals(
                3,
                follow("{\"type\":\"error\",\"error\":{\"ename\":\"CommandExecError\",\"evalue\":\"3\"}}")
                        .code());
        Processes.Ended other = follow("{\"type\":\"error\",\"error\":{\"ename\":\"E\",\"evalue\":\"no shell\"}}");
        assertEquals(1, other.code());
        assertEquals("E: no shell", other.errors().text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "[]",
                "nonsense\n{\"type\":7}\n",
                "{\"type\":\"stdout\"",
                "{\"type\":\"unknown\",\"text\":\"x\"}",
                "data:\ndata: {\n",
                "{\"type\":\"stdout\",\"text\":\"\\ud800\"}"
            })
    void shouldSayThatTheAnswerEndedBeforeTheProgram(String answer) {
        Processes.Ended ended = follow(answer);
        assertEquals(255, ended.code());
        assertEquals(
                "the connection to the sandbox ended", ended.errors().lines().getLast());
    }

    @Test
    void shouldKnowNoExitBeforeTheEnd() {
        CompletableFuture<Processes.Ended> ended = new CompletableFuture<>();
        RemoteProgram.start(
                program -> {
                    assertNull(exit(program, "{\"type\":\"stdout\",\"text\":\"x\"}"));
                    return 0;
                },
                ended::complete,
                Runnable::run);
        assertEquals("x\n", ended.join().out().text());
    }
}

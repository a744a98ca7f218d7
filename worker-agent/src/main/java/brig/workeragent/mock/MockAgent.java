package brig.workeragent.mock;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.json.Json;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.NoSuchElementException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * {@code brig-mock [--model NAME] [--tools NAMES]}: speaks the stream-json of Claude Code on its standard input and
 * output, and follows the directive {@code #scenario:name:arguments} in a message, see {@link MockScenarios}. One
 * thread reads, another works on messages.
 */
public final class MockAgent {
    /** A message, or the end of input. */
    private sealed interface Input {
        record Message(String text) implements Input {}

        record End() implements Input {}
    }

    private final BlockingQueue<Input> inputs = new LinkedBlockingQueue<>();
    private final MockOutput output = new MockOutput(new FileOutputStream(FileDescriptor.out));
    private final MockScenarios scenarios = new MockScenarios(output);

    private MockAgent() {}

    /** Runs until standard input ends and all messages are done. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 1 && arguments[0].equals("replay")) {
            Replay.play(
                    arguments,
                    System.in,
                    new FileOutputStream(FileDescriptor.out),
                    new FileOutputStream(FileDescriptor.err));
            return;
        }
        MockAgent agent = new MockAgent();
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            agent.scenarios.setAsked(arguments[i].replace("--", ""), arguments[i + 1]);
        }
        Thread.ofPlatform().name("input").daemon().start(agent::read);
        agent.work();
    }

    private void read() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                handle(line);
            }
        } catch (IOException e) {
            output.complain("standard input broke: " + e);
        } finally {
            inputs.add(new Input.End());
        }
    }

    private void handle(String line) {
        try {
            switch (Json.read(line.getBytes(UTF_8), ClaudeInput.class)) {
                case ClaudeInput.User user ->
                    inputs.add(new Input.Message(
                            user.message().content().getFirst().text()));
                case ClaudeInput.ControlRequest control -> handleControl(control);
                case ClaudeInput.ControlResponse answered ->
                    scenarios.handleAnswer(
                            answered.response().requestId(),
                            answered.response().response().behavior());
            }
        } catch (BrigException | NoSuchElementException e) {
            output.complain("not understood: " + e.getMessage());
        }
    }

    private void handleControl(ClaudeInput.ControlRequest control) {
        boolean done = switch (control.request()) {
            case ClaudeInput.Request.Initialize initialize -> {
                scenarios.setAsked("system", initialize.appendSystemPrompt());
                yield true;
            }
            case ClaudeInput.Request.Interrupt _ -> scenarios.interrupt();
            case null -> false;
        };
        if (done) {
            output.controlAnswered(control.requestId());
        }
    }

    private void work() throws InterruptedException, IOException {
        while (inputs.take() instanceof Input.Message message) {
            output.state("running");
            output.init();
            scenarios.run(message.text());
            output.state("idle");
        }
    }
}

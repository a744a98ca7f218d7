package brig.workeragent.mock;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The mock agent's reactions to messages. Scenarios: {@code text:N[:delayMs]}, {@code think:N}, {@code shell:command}
 * (which runs), {@code write:file}, {@code toolerr}, {@code permission}, {@code subagent}, {@code subagents-parallel},
 * {@code subagent-nested}, {@code subagent-bg}, {@code subagent-err}, {@code error:status}, {@code retry}, {@code
 * hang}, {@code deaf} (hangs and ignores everything), {@code flood:bytes}, {@code bigline:bytes}, {@code noise}, {@code
 * exit:code}, {@code asked} (reports the model, tools and system prompt that it was started with).
 *
 * <p>Scenarios that ask before they use a tool, and then report the answers: {@code ask:N[:command]} asks N times at
 * once, {@code ask-child[:command]} in a sub-agent, {@code ask-edit[:file]} before a change of a file, {@code
 * ask-withdrawn[:ms]} withdraws its request after that time. A command may contain the escapes of Java.
 */
final class MockScenarios {
    private static final Pattern DIRECTIVE = Pattern.compile("#scenario:([a-z-]+)(?::([^\n]*))?");
    private static final long WAIT_MS_MAX = 30_000;
    private static final int ASKS_MAX = 10_000;

    private final MockOutput output;
    private final AtomicBoolean deaf = new AtomicBoolean();
    private final Map<String, String> asked = new ConcurrentSkipListMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private boolean interrupted;
    /** The answers to requests for permission, by their ids. */
    private final Map<String, String> answers = new HashMap<>();

    private int calls;

    MockScenarios(MockOutput output) {
        this.output = output;
    }

    /** Sets what it was started with: {@code model}, {@code tools}, {@code system}. */
    void setAsked(String name, String value) {
        asked.put(name, value);
    }

    /** Interrupts the current message; false if the scenario ignores interrupts. */
    boolean interrupt() {
        if (deaf.get()) {
            return false;
        }
        lock.lock();
        try {
            interrupted = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        return true;
    }

    void handleAnswer(String request, String behavior) {
        lock.lock();
        try {
            answers.put(request, behavior);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void run(String message) throws InterruptedException, IOException {
        lock.lock();
        try {
            interrupted = false;
        } finally {
            lock.unlock();
        }
        Matcher directive = DIRECTIVE.matcher(message);
        boolean found = directive.find();
        String argument =
                found && directive.group(2) != null ? directive.group(2).trim() : "";
        String failure = found ? run(directive.group(1), argument) : say("You said: " + message);
        output.result(failure != null || isInterrupted(), failure, 20);
    }

    /** The failure that ends it, or null. */
    private @Nullable String run(String name, String argument) throws InterruptedException, IOException {
        List<String> parts = Arrays.asList(argument.split(":", -1));
        int number = parts.getFirst().matches("\\d{1,9}") ? Integer.parseInt(parts.getFirst()) : 20;
        return switch (name) {
            case "text" -> words(number, parts.size() > 1 ? Long.parseLong(parts.get(1)) : 0, false);
            case "think" -> {
                words(number, 0, true);
                yield say("Answer after thinking.");
            }
            case "shell" -> shell(null, argument);
            case "write" -> write(argument.isEmpty() ? "hello.txt" : argument);
            case "toolerr" -> shell(null, "echo oops >&2; exit 3");
            case "permission" -> permission();
            case "ask" -> ask(null, argument.isEmpty() ? 1 : Math.min(number, ASKS_MAX), command(parts));
            case "ask-child" -> askInChild(argument);
            case "ask-edit" -> askToEdit(argument.isEmpty() ? "notes.txt" : argument);
            case "ask-withdrawn" -> withdraw(number);
            case "subagent" -> delegate(List.of("A"), false);
            case "subagents-parallel" -> delegate(List.of("A", "B"), false);
            case "subagent-bg" -> delegate(List.of("BG"), true);
            case "subagent-nested" -> nested();
            case "subagent-err" -> failing();
            case "error" -> apiError(number);
            case "retry" -> retry();
            case "hang" -> hang();
            case "deaf" -> {
                deaf.set(true);
                yield hang();
            }
            case "flood" -> flood(number);
            case "bigline" -> bigLine(number);
            case "noise" -> noise();
            case "asked" -> say("Asked for " + asked);
            case "exit" -> {
                System.exit(number);
                yield null;
            }
            default -> say("Unknown scenario " + name);
        };
    }

    private boolean isInterrupted() {
        lock.lock();
        try {
            return interrupted;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for that time, or until it is interrupted. */
    private void pause(long waitMs) throws InterruptedException {
        lock.lock();
        try {
            long nanos = TimeUnit.MILLISECONDS.toNanos(waitMs);
            while (!interrupted && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private @Nullable String words(int count, long delayMs, boolean thought) throws InterruptedException {
        output.beginMessage();
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < count && !isInterrupted(); i++) {
            pause(delayMs);
            String word = (i == 0 ? "" : " ") + (thought ? "think" : "tok") + i;
            output.piece(word, thought);
            all.append(word);
        }
        if (!thought) {
            output.text(null, all.toString());
        }
        return null;
    }

    private @Nullable String say(String text) {
        output.beginMessage();
        output.piece(text, false);
        output.text(null, text);
        return null;
    }

    private String newCall() {
        return "toolu_" + ++calls;
    }

    private @Nullable String shell(@Nullable String agent, String command) throws InterruptedException, IOException {
        String call = newCall();
        output.toolUse(agent, call, "Bash", Map.of("command", command, "description", "Scripted command"));
        Process shell = new ProcessBuilder("/bin/sh", "-c", command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .start();
        String said = new String(shell.getInputStream().readAllBytes(), UTF_8);
        int code = shell.waitFor();
        output.toolResult(agent, call, code == 0 ? said : "Exit code " + code + "\n" + said, code != 0);
        return agent == null ? say("The command finished.") : null;
    }

    private @Nullable String write(String file) throws IOException {
        String call = newCall();
        output.toolUse(null, call, "Write", Map.of("file_path", file, "content", "hello from the mock agent\n"));
        Files.writeString(Path.of(file), "hello from the mock agent\n");
        output.toolResult(null, call, "File written", false);
        return say("File written.");
    }

    private @Nullable String permission() throws InterruptedException {
        String request = request(null, "Bash", Map.of("command", "true"));
        return say("The answer was " + answers(List.of(request)) + ".");
    }

    private @Nullable String ask(@Nullable String agent, int count, String command) throws InterruptedException {
        List<String> requests = IntStream.rangeClosed(1, count)
                .mapToObj(i -> request(agent, "Bash", Map.of("command", command.isEmpty() ? "echo ask-" + i : command)))
                .toList();
        return say("Answers: " + answers(requests));
    }

    private static String command(List<String> parts) {
        return String.join(":", parts.subList(1, parts.size())).translateEscapes();
    }

    private @Nullable String askInChild(String command) throws InterruptedException {
        start("agentA", null, 1, false);
        ask("agentA", 1, command.translateEscapes());
        finish("agentA", null, "completed", "Result of A", true);
        return null;
    }

    private @Nullable String askToEdit(String file) throws InterruptedException {
        Map<String, String> change = Map.of(
                "file_path",
                file,
                "old_string",
                "first\nsecond\nthird\n",
                "new_string",
                "first\nsecond, changed\nthird\n");
        return say("Answers: " + answers(List.of(request(null, "Edit", change))));
    }

    private @Nullable String withdraw(long afterMs) throws InterruptedException {
        String request = request(null, "Bash", Map.of("command", "true"));
        pause(afterMs);
        output.permissionWithdrawn(request);
        return say("No longer needed.");
    }

    /** Asks for permission. */
    private String request(@Nullable String agent, String tool, Map<String, String> input) {
        String call = newCall();
        String request = "permission-" + call;
        output.permission(agent, request, call, tool, input);
        return request;
    }

    /** Waits for all answers; those that an interrupt forestalled are missing. */
    private String answers(List<String> requests) throws InterruptedException {
        lock.lock();
        try {
            while (!interrupted && !answers.keySet().containsAll(requests)) {
                changed.await();
            }
            return requests.stream()
                    .map(answers::remove)
                    .filter(Objects::nonNull)
                    .collect(Collectors.joining(", "));
        } finally {
            lock.unlock();
        }
    }

    private @Nullable String delegate(List<String> labels, boolean background)
            throws InterruptedException, IOException {
        for (String label : labels) {
            start("agent" + label, null, 1, background);
            if (background) {
                output.toolResult(null, "call_agent" + label, "Async agent launched", false);
                output.result(false, null, 5);
            }
        }
        for (String label : labels) {
            work("agent" + label, label);
            finish("agent" + label, null, "completed", "Result of " + label, !background);
        }
        return say(labels.size() == 1 ? "The sub-agent reported back." : "Both sub-agents reported back.");
    }

    private @Nullable String nested() throws InterruptedException, IOException {
        start("agentOuter", null, 1, false);
        output.text("agentOuter", "Child delegates further.");
        start("agentInner", "agentOuter", 2, false);
        work("agentInner", "INNER");
        finish("agentInner", "agentOuter", "completed", "Result of INNER", true);
        finish("agentOuter", null, "completed", "Child-nest result.", true);
        return say("Nested run over.");
    }

    private @Nullable String failing() {
        start("agentF", null, 1, false);
        finish("agentF", null, "failed", "API Error: 400 scripted 400", true);
        return say("The sub-agent failed, as expected.");
    }

    private void start(String agent, @Nullable String parent, int depth, boolean background) {
        String prompt = "Sub-task " + agent;
        output.toolUse(
                parent,
                "call_" + agent,
                "Agent",
                Map.of("description", prompt, "prompt", prompt, "subagent_type", "general-purpose"));
        output.taskStarted(agent, parent, depth, prompt, background);
    }

    private void work(String agent, String label) throws InterruptedException, IOException {
        output.text(agent, "Child " + label + " starts.");
        shell(agent, "echo from-child-" + label);
        output.text(
                agent,
                String.join(
                        " ",
                        IntStream.range(0, 10)
                                .mapToObj(i -> "child" + label + "-" + i)
                                .toList()));
    }

    private void finish(String agent, @Nullable String parent, String status, String summary, boolean answer) {
        output.taskEnded(agent, status, summary);
        if (answer) {
            output.toolResult(parent, "call_" + agent, summary, status.equals("failed"));
        }
    }

    private String apiError(int status) {
        output.apiError("API Error: " + status + " scripted " + status, status);
        return "scripted " + status;
    }

    private @Nullable String retry() throws InterruptedException {
        output.retry(1, 529);
        pause(50);
        return say("The model came back.");
    }

    private @Nullable String hang() throws InterruptedException {
        say("Waiting.");
        do {
            pause(WAIT_MS_MAX);
        } while (!isInterrupted());
        return null;
    }

    private @Nullable String flood(int bytes) {
        output.beginMessage();
        String piece = "0123456789abcdef".repeat(64);
        for (int written = 0; written < bytes && !isInterrupted(); written += piece.length()) {
            output.piece(piece, false);
        }
        return null;
    }

    private @Nullable String bigLine(int bytes) {
        output.toolUse(null, "toolu_big", "Bash", Map.of("command", "flood"));
        output.toolResult(null, "toolu_big", "x".repeat(bytes), false);
        return say("The command finished.");
    }

    private @Nullable String noise() {
        output.noise("this is no JSON");
        output.noise("{\"type\":\"hologram\",\"depth\":3}");
        output.noise("{\"type\":\"assistant\",\"message\":7}");
        output.bytes(new byte[] {'{', '"', (byte) 0xff, '"', '}', '\n'});
        return say("That was noise.");
    }
}

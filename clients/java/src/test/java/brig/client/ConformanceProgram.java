package brig.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * Does what the lines on its standard input say, and prints what came of it: see {@code clients/conformance}. With the
 * argument {@code async} it calls the forms that do not wait, and reads from the publisher.
 */
public final class ConformanceProgram {
    private final Brig brig;
    private final boolean isAsync;
    private Session session;

    private ConformanceProgram(Brig brig, boolean isAsync) {
        this.brig = brig;
        this.isAsync = isAsync;
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Frame asked = new Frame(Json.object(line.getBytes(StandardCharsets.UTF_8)));
            List<Object> outcomes = new ArrayList<>();
            try (Brig brig = brig(asked)) {
                ConformanceProgram program = new ConformanceProgram(brig, arguments[0].equals("async"));
                asked.frames("steps").forEach(step -> outcomes.add(program.outcome(step)));
                program.leave();
            }
            System.out.write((Json.write(Map.of("outcomes", outcomes)) + "\n").getBytes(StandardCharsets.UTF_8));
            System.out.flush();
        }
    }

    private static Brig brig(Frame asked) {
        String where = asked.text("where", "");
        String token = asked.text("token");
        Brig.Builder builder = token == null ? Brig.builder(Path.of(where)) : Brig.builder(URI.create(where), token);
        if (asked.fields().get("options") instanceof Map<?, ?> options) {
            if (options.get("max_latency_ms") instanceof Long milliseconds) {
                builder.maxLatencyMs(milliseconds.intValue());
            }
            if (options.get("answer_ms") instanceof Long milliseconds) {
                builder.timeouts(Timeouts.DEFAULT.withAnswer(Duration.ofMillis(milliseconds)));
            }
        }
        return builder.build();
    }

    private Map<String, Object> outcome(Frame step) {
        try {
            return run(step);
        } catch (CompletionException e) {
            return failure((BrigException) e.getCause());
        } catch (BrigException e) {
            return failure(e);
        }
    }

    private static Map<String, Object> failure(BrigException e) {
        Map<String, Object> failure = new LinkedHashMap<>();
        failure.put("error", e.code());
        failure.put("text", e.text());
        failure.put("retry_after_seconds", e.retryAfterSeconds());
        return failure;
    }

    private Map<String, Object> run(Frame step) {
        String what = step.text("do", "");
        String askId = step.text("ask_id", "");
        String option = step.text("option");
        String text = step.text("text", "");
        switch (what) {
            case "start" -> {
                leave();
                session = isAsync ? wait(brig.startAsync(request(step))) : brig.start(request(step));
                return Map.of("ok", true, "spawn_id", session.spawnId());
            }
            case "read" -> {
                return Map.of("frames", read(step));
            }
            case "text" -> {
                return Map.of("text", isAsync ? wait(session.textAsync()) : session.text());
            }
            case "asks" -> {
                String tree = step.text("tree");
                List<Frame> asks = tree != null ? brig.asks(tree) : isAsync ? wait(brig.asksAsync()) : brig.asks();
                return Map.of("asks", asks.stream().map(Frame::fields).toList());
            }
            case "answer_ask" -> {
                if (option == null) {
                    brig.answerInWords(askId, text);
                } else if (isAsync) {
                    wait(brig.answerAsync(askId, option));
                } else {
                    brig.answer(askId, option);
                }
            }
            case "answer" -> {
                if (option == null) {
                    session.answerInWords(askId, text);
                } else if (isAsync) {
                    wait(session.answerAsync(askId, option));
                } else {
                    session.answer(askId, option);
                }
            }
            case "close" -> session.leave();
            default -> tell(what, step.text("content", ""));
        }
        return Map.of("ok", true);
    }

    private void tell(String what, String content) {
        switch (what) {
            case "send" -> {
                if (isAsync) {
                    wait(session.sendAsync(content));
                } else {
                    session.send(content);
                }
            }
            case "cancel" -> {
                if (isAsync) {
                    wait(session.cancelAsync());
                } else {
                    session.cancel();
                }
            }
            case "terminate" -> {
                if (isAsync) {
                    wait(session.terminateAsync());
                } else {
                    session.terminate();
                }
            }
            default -> throw new IllegalArgumentException(what);
        }
    }

    private void leave() {
        if (session != null) {
            session.leave();
        }
    }

    private static <T> T wait(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private static SpawnRequest request(Frame step) {
        SpawnRequest request = SpawnRequest.of(step.text("agent", ""));
        for (Map.Entry<String, Object> field : step.fields().entrySet()) {
            request = switch (field.getKey()) {
                case "do", "agent" -> request;
                case "prompt" -> request.prompt(String.valueOf(field.getValue()));
                default -> request.with(field.getKey(), field.getValue());
            };
        }
        return request;
    }

    private List<Object> read(Frame step) {
        String until = step.text("until", "");
        long count = step.number("until", Long.MAX_VALUE);
        List<Object> frames = new ArrayList<>();
        if (isAsync) {
            Reader reader = new Reader();
            session.publisher().subscribe(reader);
            while (frames.size() < count) {
                Frame frame = reader.next();
                if (frame == null) {
                    break;
                }
                frames.add(frame.fields());
                if (frame.type().equals(until)) {
                    break;
                }
            }
            reader.subscription.cancel();
            return frames;
        }
        for (Frame frame : session) {
            frames.add(frame.fields());
            if (frames.size() == count || frame.type().equals(until)) {
                break;
            }
        }
        return frames;
    }

    /** Asks for one frame after the other. */
    private static final class Reader implements Flow.Subscriber<Frame> {
        private Flow.Subscription subscription;
        private CompletableFuture<Frame> next = new CompletableFuture<>();

        Frame next() {
            CompletableFuture<Frame> asked = new CompletableFuture<>();
            next = asked;
            subscription.request(1);
            return asked.join();
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
        }

        @Override
        public void onNext(Frame frame) {
            next.complete(frame);
        }

        @Override
        public void onError(Throwable failure) {
            next.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            next.complete(null);
        }
    }
}

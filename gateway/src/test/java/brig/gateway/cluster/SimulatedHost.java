package brig.gateway.cluster;

import brig.gateway.stream.StreamLog;
import brig.gateway.time.FakeTime;
import brig.gateway.worker.ControlLink;
import brig.gateway.worker.LinkedAgent;
import brig.gateway.worker.RequestingAgent;
import brig.gateway.worker.Transfer;
import brig.gateway.worker.WorkerAgent;
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.CallerTerminal;
import brig.protocol.control.ControlRequest;
import brig.protocol.control.Done;
import brig.protocol.control.Message;
import brig.protocol.control.Posture;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.json.JsonObject;
import brig.protocol.spawn.TerminalSize;
import brig.protocol.wire.FrameDecoder;
import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A host with a worker-agent under a test's time. Its workers number what they say and keep it until it is acknowledged; a link of a
 * greater epoch ends those of smaller ones, and a smaller one gets nothing.
 */
final class SimulatedHost {
    private final FakeTime time;
    private final Random random;
    final Map<String, Worker> workers = new LinkedHashMap<>();
    private long newestEpoch;
    private long newestOwner;
    private @Nullable Link current;
    private boolean cut;

    SimulatedHost(FakeTime time, Random random) {
        this.time = time;
        this.random = random;
    }

    /** Nobody reaches it for so long. */
    void cut(long ms) {
        cut = true;
        Link linked = current;
        if (linked != null) {
            linked.down();
        }
        time.after(ms, () -> cut = false);
    }

    /** The greatest term of an owner, whether it reached it or not. */
    long newestOwner() {
        return newestOwner;
    }

    boolean isCut() {
        return cut;
    }

    /** A worker that says so many things. */
    static final class Worker {
        /** What it said, line by line. */
        final List<String> said = new ArrayList<>();

        final List<String> heard = new ArrayList<>();
        long acked;
        boolean ended;

        private void say(String type, String rest) {
            said.add("{\"type\":\"" + type + "\",\"seq\":" + (said.size() + 1) + ",\"ts\":1," + rest + "}\n");
        }

        String all() {
            return String.join("", said);
        }
    }

    private void work(Worker worker, int bursts) {
        if (worker.ended) {
            return;
        }
        int frames = 1 + random.nextInt(30);
        for (int i = 0; i < frames; i++) {
            worker.say("chunk", "\"content\":\"" + random.nextInt(1_000_000) + "\"");
        }
        if (bursts == 0) {
            end(worker);
        } else {
            time.after(1 + random.nextInt(400), () -> work(worker, bursts - 1));
        }
    }

    private void end(Worker worker) {
        if (!worker.ended) {
            worker.ended = true;
            worker.say("done", "\"exit_code\":0");
            worker.say("state", "\"state\":\"terminated\",\"reason\":\"once\"");
        }
    }

    /** A link of a gateway. */
    Link open(long epoch, ControlLink.Listener listener, Executor loop) {
        newestOwner = Math.max(newestOwner, epoch);
        Link link = new Link(epoch, listener, loop);
        time.after(1 + random.nextInt(20), link::arrive);
        return link;
    }

    final class Link extends RequestingAgent implements LinkedAgent {
        private final long epoch;
        private final ControlLink.Listener listener;
        private final Executor loop;
        private boolean closed;

        Link(long epoch, ControlLink.Listener listener, Executor loop) {
            this.epoch = epoch;
            this.listener = listener;
            this.loop = loop;
        }

        private void arrive() {
            if (closed) {
                return;
            }
            if (cut || epoch < newestEpoch) {
                down();
                return;
            }
            Link before = current;
            newestEpoch = epoch;
            current = this;
            if (before != null && before != this) {
                before.down();
            }
            loop.execute(() -> {
                if (!closed) {
                    listener.handleUp("simulated");
                }
            });
        }

        private void down() {
            loop.execute(() -> {
                if (!closed) {
                    listener.handleDown();
                    time.after(500, this::arrive);
                }
            });
        }

        private boolean isCurrent() {
            return current == this && !closed && !cut;
        }

        @Override
        public void close() {
            closed = true;
            if (current == this) {
                current = null;
            }
        }

        private CompletionStage<Record> answer(ControlRequest request) {
            CompletableFuture<Record> answer = new CompletableFuture<>();
            time.after(1 + random.nextInt(5), () -> {
                Record result = isCurrent() ? answerNow(request) : null;
                time.after(
                        1 + random.nextInt(5),
                        () -> loop.execute(() -> {
                            if (result == null || !isCurrent()) {
                                answer.completeExceptionally(new WorkerAgent.UnansweredException());
                            } else {
                                answer.complete(result);
                            }
                        }));
            });
            return answer;
        }

        private Record answerNow(ControlRequest request) {
            return switch (request) {
                case ControlRequest.ListWorkers _ -> listing();
                case ControlRequest.Spawn spawn -> {
                    Worker worker = new Worker();
                    worker.say("state", "\"state\":\"running\"");
                    workers.put(spawn.spawnId(), worker);
                    work(worker, 20 + random.nextInt(60));
                    yield new SpawnAnswer("/made/" + spawn.spawnId(), POSTURE);
                }
                case ControlRequest.Terminate terminate -> {
                    Worker worker = workers.get(terminate.spawnId());
                    if (worker != null) {
                        end(worker);
                    }
                    yield new Done();
                }
                default -> new Done();
            };
        }

        private WorkersAnswer listing() {
            return new WorkersAnswer(
                    workers.entrySet().stream()
                            .filter(entry -> !entry.getValue().ended
                                    || entry.getValue().acked
                                            < entry.getValue().said.size())
                            .map(entry -> new WorkersAnswer.WorkerView(
                                    entry.getKey(),
                                    new SpawnAnswer("/made/" + entry.getKey(), POSTURE),
                                    entry.getValue().said.size(),
                                    entry.getValue().ended,
                                    false,
                                    List.of()))
                            .toList(),
                    List.of());
        }

        @Override
        public CompletionStage<JsonObject> pass(ControlRequest request) {
            return answer(request).thenApply(JsonObject::of);
        }

        @Override
        protected <A extends Record> CompletionStage<A> request(ControlRequest request, Class<A> type) {
            return answer(request)
                    .thenApply(type::cast)
                    .exceptionallyCompose(failure -> CompletableFuture.failedFuture(new BrigException(
                            ErrorCode.WORKER_AGENT_UNAVAILABLE, "the worker-agent does not answer", 1)));
        }

        @Override
        protected <A extends Record> CompletionStage<A> ask(ControlRequest request, Class<A> type) {
            return answer(request).thenApply(type::cast);
        }

        @Override
        public CompletionStage<Transfer> transfer() {
            throw new AssertionError("nothing is transferred here");
        }

        @Override
        public CompletionStage<Channel> dial(String workerId, int port) {
            throw new AssertionError("nobody connects to a port here");
        }

        @Override
        public CompletionStage<Channel> shell(String workerId, CallerTerminal terminal) {
            throw new AssertionError("nobody wants a shell here");
        }

        @Override
        public WorkerStream open(String workerId, StreamLog log, FrameDecoder.Sink frames) {
            Stream stream = new Stream(this, workerId, log.lastSeq(), frames);
            time.after(1, stream::look);
            return stream;
        }
    }

    /** Frames on their way to one gateway. */
    private final class Stream implements WorkerStream {
        private final Link link;
        private final String workerId;
        private final FrameDecoder decoder;
        private long sent;
        private boolean paused;
        private boolean closed;

        Stream(Link link, String workerId, long sent, FrameDecoder.Sink frames) {
            this.link = link;
            this.workerId = workerId;
            // What was acknowledged is forgotten.
            Worker worker = workers.get(workerId);
            this.sent = worker == null ? sent : Math.max(sent, worker.acked);
            this.decoder = new FrameDecoder(frames);
        }

        private void look() {
            if (closed || link.closed) {
                return;
            }
            Worker worker = workers.get(workerId);
            if (link.isCurrent() && !paused && worker != null && sent < worker.said.size()) {
                long from = sent;
                sent = Math.min(worker.said.size(), from + 1 + random.nextInt(20));
                byte[] bytes = String.join("", worker.said.subList((int) from, (int) sent))
                        .getBytes(StandardCharsets.UTF_8);
                link.loop.execute(() -> {
                    if (!closed) {
                        decoder.decode(bytes, 0, bytes.length);
                    }
                });
            }
            time.after(3, this::look);
        }

        @Override
        public void ack(long seq) {
            Worker worker = workers.get(workerId);
            if (link.isCurrent() && worker != null) {
                worker.acked = Math.max(worker.acked, seq);
            }
        }

        @Override
        public void input(Message message) {
            Worker worker = workers.get(workerId);
            if (link.isCurrent() && worker != null) {
                worker.heard.add(message.content());
            }
        }

        @Override
        public void keys(String keys) {}

        @Override
        public void resize(TerminalSize size) {}

        @Override
        public void cancel() {}

        @Override
        public void close() {
            closed = true;
        }

        @Override
        public void pause() {
            paused = true;
        }

        @Override
        public void resume() {
            paused = false;
        }
    }

    private static final Posture POSTURE = SimulatedCluster.posture();
}

package brig.gateway.spawn;

import brig.gateway.stream.Frames;
import brig.gateway.stream.StreamLog;
import brig.gateway.worker.Transfer;
import brig.gateway.worker.WorkerAgent;
import brig.gateway.worker.WorkerStream;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.AuditAnswer;
import brig.protocol.control.CallerTerminal;
import brig.protocol.control.CheckpointAnswer;
import brig.protocol.control.CheckpointsAnswer;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.EgressDecision;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.ImagesAnswer;
import brig.protocol.control.LendableAnswer;
import brig.protocol.control.Message;
import brig.protocol.control.MirrorAnswer;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.TestRouteAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.TerminalSize;
import brig.protocol.wire.FrameDecoder;
import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A worker-agent that writes down what it is asked and answers when a test says so. */
final class FakeWorkers implements WorkerAgent {
    final List<String> story;
    final Map<String, CompletableFuture<SpawnAnswer>> asked = new LinkedHashMap<>();
    final Map<String, SpawnRequest> requests = new LinkedHashMap<>();
    final Map<String, FakeStream> streams = new LinkedHashMap<>();
    CompletableFuture<WorkersAnswer> listing = new CompletableFuture<>();

    CompletableFuture<LendableAnswer> lending = new CompletableFuture<>();
    CompletableFuture<Void> checking = CompletableFuture.completedFuture(null);
    CompletableFuture<Void> abandoning = CompletableFuture.completedFuture(null);
    CompletableFuture<Void> terminating = CompletableFuture.completedFuture(null);

    FakeWorkers(List<String> story) {
        this.story = story;
    }

    /** The stream of one worker, and what the gateway said to it. */
    static final class FakeStream implements WorkerStream {
        final long nextSeq;
        private final FrameDecoder decoder;
        final List<String> said = new ArrayList<>();
        boolean closed;

        FakeStream(long nextSeq, FrameDecoder.Sink frames) {
            this.nextSeq = nextSeq;
            this.decoder = new FrameDecoder(frames);
        }

        /** What the worker-agent sends, as bytes of its socket. */
        void send(String lines) {
            byte[] bytes = Frames.utf8(lines);
            decoder.decode(bytes, 0, bytes.length);
        }

        @Override
        public void ack(long seq) {
            said.add("ack " + seq);
        }

        @Override
        public void input(Message message) {
            said.add("input " + message.content() + (message.id() == null ? "" : " as " + message.id()) + " by "
                    + message.by() + " via " + message.via());
        }

        @Override
        public void keys(String keys) {
            said.add("keys " + keys);
        }

        @Override
        public void resize(TerminalSize size) {
            said.add("resize " + size.cols() + "x" + size.rows());
        }

        @Override
        public void cancel() {
            said.add("cancel");
        }

        @Override
        public void close() {
            closed = true;
        }

        @Override
        public void pause() {
            said.add("pause");
        }

        @Override
        public void resume() {
            said.add("resume");
        }
    }

    @Override
    public CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
        return checking;
    }

    @Override
    public CompletionStage<SpawnAnswer> spawn(
            String spawnId, SpawnRequest request, SpawnRequest.Asker asker, Provision with) {
        story.add("spawn");
        requests.put(spawnId, request);
        CompletableFuture<SpawnAnswer> answer = new CompletableFuture<>();
        asked.put(spawnId, answer);
        return answer;
    }

    @Override
    public CompletionStage<LendableAnswer> lendable(
            @Nullable String spawnId, SpawnRequest request, SpawnRequest.Asker asker) {
        story.add("lend " + request.repository());
        return lending;
    }

    @Override
    public CompletionStage<MirrorAnswer> mirror(String mirror) {
        throw new AssertionError("nobody has mirrors here");
    }

    @Override
    public CompletionStage<Transfer> transfer() {
        throw new AssertionError("nothing is transferred here");
    }

    @Override
    public CompletionStage<DiffAnswer> diff(String spawnId, @Nullable String to, boolean stat) {
        throw new AssertionError("nobody asks for a diff here");
    }

    @Override
    public CompletionStage<ApplyAnswer> apply(String spawnId, boolean check, List<String> allow) {
        throw new AssertionError("nobody applies changes here");
    }

    @Override
    public CompletionStage<CheckpointAnswer> checkpoint(String spawnId, long lastSeq) {
        throw new AssertionError("nobody asks for a checkpoint here");
    }

    @Override
    public CompletionStage<CheckpointsAnswer> checkpoints(String spawnId) {
        throw new AssertionError("nobody asks for a checkpoint here");
    }

    @Override
    public CompletionStage<CheckpointAnswer> restore(String spawnId, @Nullable Long at, long lastSeq) {
        throw new AssertionError("nobody asks for a checkpoint here");
    }

    @Override
    public CompletionStage<WorkspacesAnswer> workspaces() {
        throw new AssertionError("nobody asks for a diff here");
    }

    @Override
    public CompletionStage<DiscardAnswer> discard(String spawnId) {
        throw new AssertionError("nobody asks for a diff here");
    }

    @Override
    public CompletionStage<EgressAnswer> egress(String workerId) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletionStage<EgressDecided> decideEgress(
            String workerId, EgressDecision decision, String about, String by, String via) {
        throw new AssertionError("nobody decides here");
    }

    @Override
    public CompletionStage<AskAnswer> answer(String workerId, String askId, AnswerChoice choice) {
        story.add("answer " + askId + " " + choice.option() + " by " + choice.by() + " via " + choice.via());
        return CompletableFuture.completedFuture(new AskAnswer(askId, choice.option(), choice.text()));
    }

    @Override
    public CompletionStage<AuditAnswer> audit(String from) {
        throw new AssertionError("nobody reads the audit here");
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
    public CompletionStage<Void> abandon(String spawnId) {
        story.add("abandon " + spawnId);
        return abandoning;
    }

    @Override
    public CompletionStage<Void> terminate(String spawnId, String reason) {
        story.add("terminate " + spawnId + " " + reason);
        return terminating;
    }

    @Override
    public CompletionStage<WorkersAnswer> list() {
        return listing;
    }

    @Override
    public CompletionStage<HelloAnswer> hello() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<ImagesAnswer> images() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<ImagesAnswer.Image> pullImage(String from, String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<WorkspacesAnswer.KeptRoot> discardRoot(String root, SpawnRequest.Asker asker) {
        throw new UnsupportedOperationException(root);
    }

    @Override
    public CompletionStage<ImagesAnswer.Image> removeImage(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<TestRouteAnswer> testRoute(String route) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<DoctorAnswer> doctor() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> shutdown() {
        throw new UnsupportedOperationException();
    }

    @Override
    public WorkerStream open(String workerId, StreamLog log, FrameDecoder.Sink frames) {
        story.add("follow " + workerId);
        FakeStream stream = new FakeStream(log.lastSeq() + 1, frames);
        streams.put(workerId, stream);
        return stream;
    }
}

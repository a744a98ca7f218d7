package brig.gateway.worker;

import brig.gateway.stream.StreamLog;
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
import brig.protocol.control.MirrorAnswer;
import brig.protocol.control.Provision;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.TestRouteAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.wire.FrameDecoder;
import io.netty.channel.Channel;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A worker-agent that passes on to another what it does not do itself. */
public abstract class ForwardingAgent implements WorkerAgent {
    /** Does what is not overridden. */
    protected final NetworkAgent far;

    protected ForwardingAgent(NetworkAgent far) {
        this.far = far;
    }

    @Override
    public CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
        return far.check(request, asker);
    }

    @Override
    public CompletionStage<SpawnAnswer> spawn(
            String spawnId, SpawnRequest request, SpawnRequest.Asker asker, Provision with) {
        return far.spawn(spawnId, request, asker, with);
    }

    @Override
    public CompletionStage<LendableAnswer> lendable(
            @Nullable String spawnId, SpawnRequest request, SpawnRequest.Asker asker) {
        return far.lendable(spawnId, request, asker);
    }

    @Override
    public CompletionStage<MirrorAnswer> mirror(String mirror) {
        return far.mirror(mirror);
    }

    @Override
    public CompletionStage<Transfer> transfer() {
        return far.transfer();
    }

    @Override
    public CompletionStage<Void> terminate(String spawnId, String reason) {
        return far.terminate(spawnId, reason);
    }

    @Override
    public CompletionStage<Void> abandon(String spawnId) {
        return far.abandon(spawnId);
    }

    @Override
    public CompletionStage<WorkersAnswer> list() {
        return far.list();
    }

    @Override
    public CompletionStage<HelloAnswer> hello() {
        return far.hello();
    }

    @Override
    public CompletionStage<DiffAnswer> diff(String spawnId, @Nullable String to, boolean stat) {
        return far.diff(spawnId, to, stat);
    }

    @Override
    public CompletionStage<ApplyAnswer> apply(String spawnId, boolean check, List<String> allow) {
        return far.apply(spawnId, check, allow);
    }

    @Override
    public CompletionStage<CheckpointAnswer> checkpoint(String spawnId, long lastSeq) {
        return far.checkpoint(spawnId, lastSeq);
    }

    @Override
    public CompletionStage<CheckpointsAnswer> checkpoints(String spawnId) {
        return far.checkpoints(spawnId);
    }

    @Override
    public CompletionStage<CheckpointAnswer> restore(String spawnId, @Nullable Long at, long lastSeq) {
        return far.restore(spawnId, at, lastSeq);
    }

    @Override
    public CompletionStage<WorkspacesAnswer> workspaces() {
        return far.workspaces();
    }

    @Override
    public CompletionStage<DiscardAnswer> discard(String spawnId) {
        return far.discard(spawnId);
    }

    @Override
    public CompletionStage<WorkspacesAnswer.KeptRoot> discardRoot(String root, SpawnRequest.Asker asker) {
        return far.discardRoot(root, asker);
    }

    @Override
    public CompletionStage<EgressAnswer> egress(String workerId) {
        return far.egress(workerId);
    }

    @Override
    public CompletionStage<EgressDecided> decideEgress(
            String workerId, EgressDecision decision, String about, String by, String via) {
        return far.decideEgress(workerId, decision, about, by, via);
    }

    @Override
    public CompletionStage<AskAnswer> answer(String workerId, String askId, AnswerChoice choice) {
        return far.answer(workerId, askId, choice);
    }

    @Override
    public CompletionStage<AuditAnswer> audit(String from) {
        return far.audit(from);
    }

    @Override
    public CompletionStage<Channel> shell(String workerId, CallerTerminal terminal) {
        return far.shell(workerId, terminal);
    }

    @Override
    public CompletionStage<Channel> dial(String workerId, int port) {
        return far.dial(workerId, port);
    }

    @Override
    public CompletionStage<TestRouteAnswer> testRoute(String route) {
        return far.testRoute(route);
    }

    @Override
    public CompletionStage<ImagesAnswer> images() {
        return far.images();
    }

    @Override
    public CompletionStage<ImagesAnswer.Image> pullImage(String from, String name) {
        return far.pullImage(from, name);
    }

    @Override
    public CompletionStage<ImagesAnswer.Image> removeImage(String name) {
        return far.removeImage(name);
    }

    @Override
    public CompletionStage<DoctorAnswer> doctor() {
        return far.doctor();
    }

    @Override
    public CompletionStage<Void> shutdown() {
        return far.shutdown();
    }

    @Override
    public WorkerStream open(String workerId, StreamLog log, FrameDecoder.Sink frames) {
        return far.open(workerId, log, frames);
    }
}

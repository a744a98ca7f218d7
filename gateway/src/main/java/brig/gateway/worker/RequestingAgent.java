package brig.gateway.worker;

import brig.protocol.control.AnswerChoice;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.AuditAnswer;
import brig.protocol.control.CheckpointAnswer;
import brig.protocol.control.CheckpointsAnswer;
import brig.protocol.control.ControlRequest;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.Done;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.EgressDecision;
import brig.protocol.control.EgressGrant;
import brig.protocol.control.EgressHappened;
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
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A worker-agent that is asked by requests and answers: nearly everything is one of each. How they get there is another
 * matter.
 */
public abstract class RequestingAgent implements NetworkAgent {
    /** Asks what may be asked again: it does not matter whether a lost request was carried out. */
    protected abstract <A extends Record> CompletionStage<A> request(ControlRequest request, Class<A> type);

    /** Asks for what happens once; fails with {@link UnansweredException} if that may have happened. */
    protected abstract <A extends Record> CompletionStage<A> ask(ControlRequest request, Class<A> type);

    @Override
    public CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker) {
        // The interface does not matter for a check.
        return done(new ControlRequest.Check(request, new SpawnRequest.Asker(asker.captain(), asker.admin())));
    }

    private CompletionStage<Void> done(ControlRequest request) {
        return request(request, Done.class).thenApply(done -> null);
    }

    @Override
    public CompletionStage<SpawnAnswer> spawn(
            String spawnId, SpawnRequest request, SpawnRequest.Asker asker, Provision with) {
        return ask(new ControlRequest.Spawn(spawnId, request, asker, with), SpawnAnswer.class);
    }

    @Override
    public CompletionStage<LendableAnswer> lendable(
            @Nullable String spawnId, SpawnRequest request, SpawnRequest.Asker asker) {
        return request(
                new ControlRequest.Lendable(spawnId, request, new SpawnRequest.Asker(asker.captain(), asker.admin())),
                LendableAnswer.class);
    }

    @Override
    public CompletionStage<MirrorAnswer> mirror(String mirror) {
        return request(new ControlRequest.Mirror(mirror), MirrorAnswer.class);
    }

    @Override
    public CompletionStage<Void> check(SpawnRequest request, SpawnRequest.Asker asker, ControlRequest.Check.Part part) {
        return done(new ControlRequest.Check(request, new SpawnRequest.Asker(asker.captain(), asker.admin()), part));
    }

    @Override
    public CompletionStage<EgressGrant> grant(String spawnId, SpawnRequest request) {
        return request(new ControlRequest.Grant(spawnId, request.withoutPrompt()), EgressGrant.class);
    }

    @Override
    public CompletionStage<Void> ungrant(String spawnId) {
        return done(new ControlRequest.Ungrant(spawnId));
    }

    @Override
    public CompletionStage<Void> tell(EgressHappened happened) {
        return done(new ControlRequest.Happened(happened));
    }

    @Override
    public CompletionStage<Void> terminate(String spawnId, String reason) {
        return done(new ControlRequest.Terminate(spawnId, reason, false));
    }

    @Override
    public CompletionStage<Void> abandon(String spawnId) {
        return done(new ControlRequest.Terminate(spawnId, "requested", true));
    }

    @Override
    public CompletionStage<WorkersAnswer> list() {
        return request(new ControlRequest.ListWorkers(), WorkersAnswer.class);
    }

    @Override
    public CompletionStage<HelloAnswer> hello() {
        return request(new ControlRequest.Hello(), HelloAnswer.class);
    }

    @Override
    public CompletionStage<DiffAnswer> diff(String spawnId, @Nullable String to, boolean stat) {
        return request(new ControlRequest.Diff(spawnId, to, stat), DiffAnswer.class);
    }

    @Override
    public CompletionStage<ApplyAnswer> apply(String spawnId, boolean check, List<String> allow) {
        return request(new ControlRequest.Apply(spawnId, check, allow), ApplyAnswer.class);
    }

    @Override
    public CompletionStage<CheckpointAnswer> checkpoint(String spawnId, long lastSeq) {
        return request(new ControlRequest.TakeCheckpoint(spawnId, lastSeq), CheckpointAnswer.class);
    }

    @Override
    public CompletionStage<CheckpointsAnswer> checkpoints(String spawnId) {
        return request(new ControlRequest.ListCheckpoints(spawnId), CheckpointsAnswer.class);
    }

    @Override
    public CompletionStage<CheckpointAnswer> restore(String spawnId, @Nullable Long at, long lastSeq) {
        return request(new ControlRequest.Restore(spawnId, at, lastSeq), CheckpointAnswer.class);
    }

    @Override
    public CompletionStage<WorkspacesAnswer> workspaces() {
        return request(new ControlRequest.Workspaces(), WorkspacesAnswer.class);
    }

    @Override
    public CompletionStage<DiscardAnswer> discard(String spawnId) {
        return request(new ControlRequest.Discard(spawnId), DiscardAnswer.class);
    }

    @Override
    public CompletionStage<WorkspacesAnswer.KeptRoot> discardRoot(String root, SpawnRequest.Asker asker) {
        return request(new ControlRequest.DiscardRoot(root, asker), WorkspacesAnswer.KeptRoot.class);
    }

    @Override
    public CompletionStage<EgressAnswer> egress(String workerId) {
        return request(new ControlRequest.Egress(workerId, null, null, null, null, null), EgressAnswer.class);
    }

    @Override
    public CompletionStage<EgressDecided> decideEgress(
            String workerId, EgressDecision decision, String about, String by, String via) {
        return request(
                decision == EgressDecision.REVOKE
                        ? new ControlRequest.Egress(workerId, decision, null, about, by, via)
                        : new ControlRequest.Egress(workerId, decision, about, null, by, via),
                EgressDecided.class);
    }

    @Override
    public CompletionStage<AskAnswer> answer(String workerId, String askId, AnswerChoice choice) {
        return request(new ControlRequest.Answer(workerId, askId, choice), AskAnswer.class);
    }

    @Override
    public CompletionStage<AuditAnswer> audit(String from) {
        return request(new ControlRequest.Audit(from), AuditAnswer.class);
    }

    @Override
    public CompletionStage<TestRouteAnswer> testRoute(String route) {
        return request(new ControlRequest.TestRoute(route), TestRouteAnswer.class);
    }

    @Override
    public CompletionStage<ImagesAnswer> images() {
        return request(new ControlRequest.Images(), ImagesAnswer.class);
    }

    @Override
    public CompletionStage<ImagesAnswer.Image> pullImage(String from, String name) {
        return request(new ControlRequest.PullImage(from, name), ImagesAnswer.Image.class);
    }

    @Override
    public CompletionStage<ImagesAnswer.Image> removeImage(String name) {
        return request(new ControlRequest.RemoveImage(name), ImagesAnswer.Image.class);
    }

    @Override
    public CompletionStage<DoctorAnswer> doctor() {
        return request(new ControlRequest.Doctor(), DoctorAnswer.class);
    }

    @Override
    public CompletionStage<Void> shutdown() {
        return done(new ControlRequest.Shutdown());
    }
}

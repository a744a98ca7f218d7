package brig.workeragent.link;

import brig.egress.audit.AuditFiles;
import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.control.AuditAnswer;
import brig.protocol.control.ControlRequest;
import brig.protocol.control.ControlRequest.Answer;
import brig.protocol.control.ControlRequest.Apply;
import brig.protocol.control.ControlRequest.Audit;
import brig.protocol.control.ControlRequest.Check;
import brig.protocol.control.ControlRequest.Diff;
import brig.protocol.control.ControlRequest.Discard;
import brig.protocol.control.ControlRequest.Doctor;
import brig.protocol.control.ControlRequest.Egress;
import brig.protocol.control.ControlRequest.Grant;
import brig.protocol.control.ControlRequest.Happened;
import brig.protocol.control.ControlRequest.Hello;
import brig.protocol.control.ControlRequest.Lendable;
import brig.protocol.control.ControlRequest.ListCheckpoints;
import brig.protocol.control.ControlRequest.ListWorkers;
import brig.protocol.control.ControlRequest.Mirror;
import brig.protocol.control.ControlRequest.Ping;
import brig.protocol.control.ControlRequest.PullImage;
import brig.protocol.control.ControlRequest.RemoveImage;
import brig.protocol.control.ControlRequest.Restore;
import brig.protocol.control.ControlRequest.Shutdown;
import brig.protocol.control.ControlRequest.Spawn;
import brig.protocol.control.ControlRequest.TakeCheckpoint;
import brig.protocol.control.ControlRequest.Terminate;
import brig.protocol.control.ControlRequest.TestRoute;
import brig.protocol.control.ControlRequest.Ungrant;
import brig.protocol.control.ControlRequest.Workspaces;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.Done;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.LendableAnswer;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.control.WorkersAnswer.WorkerView;
import brig.protocol.control.WorkspacesAnswer;
import brig.workeragent.egress.EgressProcess;
import brig.workeragent.grant.Grants;
import brig.workeragent.handover.Handovers;
import brig.workeragent.image.Images;
import brig.workeragent.profile.AgentCatalog;
import brig.workeragent.relay.RelayedNetworks;
import brig.workeragent.wall.FileGlobs;
import brig.workeragent.wall.Walls;
import brig.workeragent.worker.EndReason;
import brig.workeragent.worker.RouteTrial;
import brig.workeragent.worker.SessionCheckpoints;
import brig.workeragent.worker.Workers;
import brig.workeragent.workspace.MadeWorkspaces;
import java.util.List;
import java.util.stream.Stream;

/** What gateways may ask on control connections. Thread-safe; a spawn blocks until its worker is up. */
public final class ControlOperations {
    /** An answer, and a task to run once it is written. */
    record Outcome(Record answer, Runnable afterwards) {
        Outcome(Record answer) {
            this(answer, () -> {});
        }
    }

    /**
     * Who serves networks of workers.
     *
     * @param egress those of this host's workers
     * @param grants those of workers on other hosts
     * @param relayed this host's workers that are served at home
     */
    public record Networks(EgressProcess egress, Grants grants, RelayedNetworks relayed) {}

    /** Limit for audit lines in one answer, which a gateway reads on its event loop. */
    private static final int AUDIT_BYTES_MAX = 64 * 1024;

    private final Workers workers;
    private final AgentCatalog offer;
    private final MadeWorkspaces made;
    private final Images images;
    private final SessionCheckpoints checkpoints;
    private final RouteTrial routes;
    private final Walls walls;
    private final Networks networks;
    private final Handovers handovers;
    private final EgressOperations egress;
    private final String version;
    private final Runnable exit;
    private final String instance = Ids.newEpoch();

    /** @param exit ends this process */
    public ControlOperations(
            Workers workers,
            AgentCatalog offer,
            MadeWorkspaces made,
            Images images,
            RouteTrial routes,
            Walls walls,
            Networks networks,
            Handovers handovers,
            String version,
            Runnable exit) {
        this.workers = workers;
        this.offer = offer;
        this.made = made;
        this.images = images;
        this.checkpoints = new SessionCheckpoints(workers, made, System::currentTimeMillis);
        this.routes = routes;
        this.walls = walls;
        this.networks = networks;
        this.handovers = handovers;
        this.egress = new EgressOperations(workers, networks, offer.policies());
        this.version = version;
        this.exit = exit;
    }

    Networks networks() {
        return networks;
    }

    Handovers handovers() {
        return handovers;
    }

    /** Carries out a request. @throws BrigException a refusal */
    Outcome run(ControlRequest request) throws InterruptedException {
        return switch (request) {
            case Hello _ -> new Outcome(hello());
            case Ping _ -> new Outcome(new Done());
            case Check check -> {
                if (check.part() == Check.Part.HANDOVER) {
                    handovers.check(check.request());
                } else {
                    workers.check(check.request(), check.asker(), check.part() == Check.Part.PLACE);
                }
                yield new Outcome(new Done());
            }
            case Grant grant -> new Outcome(networks.grants().grant(grant.spawnId(), grant.request()));
            case Ungrant ungrant -> {
                networks.grants().end(ungrant.spawnId());
                yield new Outcome(new Done());
            }
            case Happened happened -> {
                networks.relayed().handle(happened.happened());
                yield new Outcome(new Done());
            }
            case Spawn spawn ->
                new Outcome(shown(workers.spawn(spawn.spawnId(), spawn.request(), spawn.asker(), spawn.with())));
            case Lendable lendable ->
                new Outcome(
                        new LendableAnswer(workers.lendable(lendable.spawnId(), lendable.request(), lendable.asker())));
            case Mirror mirror -> new Outcome(made.mirrors().commits(mirror.mirror()));
            case Terminate terminate -> new Outcome(terminate(terminate));
            case ListWorkers _ -> new Outcome(list());
            case Doctor _ -> new Outcome(doctor());
            case Diff diff -> new Outcome(made.diff(diff.spawnId(), diff.to(), diff.stat()));
            case Apply apply -> new Outcome(made.apply(apply.spawnId(), apply.check(), globs(apply.allow())));
            case TakeCheckpoint take -> new Outcome(checkpoints.take(take.spawnId(), take.lastSeq()));
            case ListCheckpoints list -> new Outcome(checkpoints.list(list.spawnId()));
            case Restore restore ->
                new Outcome(checkpoints.restore(restore.spawnId(), restore.at(), restore.lastSeq()));
            case Workspaces _ ->
                new Outcome(new WorkspacesAnswer(made.kept(), images.layers().list()));
            case Discard discard -> {
                made.discard(discard.spawnId());
                yield new Outcome(new DiscardAnswer(discard.spawnId()));
            }
            case ControlRequest.DiscardRoot discard ->
                new Outcome(images.layers().remove(discard.root(), discard.asker()));
            case ControlRequest.Images _ -> new Outcome(images.list());
            case PullImage pull -> new Outcome(images.pull(pull.from(), pull.name()));
            case RemoveImage remove -> new Outcome(images.remove(remove.name()));
            case Egress asked -> new Outcome(egress.run(asked));
            case Answer answer -> new Outcome(egress.answer(answer));
            case Audit audit -> new Outcome(audit(audit.from()));
            case TestRoute trial -> new Outcome(routes.run(trial.route()));
            case Shutdown _ -> {
                workers.shutdown();
                yield new Outcome(new Done(), exit);
            }
        };
    }

    private HelloAnswer hello() {
        return new HelloAnswer(
                instance,
                ProcessHandle.current().pid(),
                version,
                walls.limitsLevel(),
                offer.agents(),
                offer.choices(),
                offer.faults());
    }

    private Done terminate(Terminate request) {
        EndReason reason = EndReason.named(request.reason() == null ? "" : request.reason());
        if (request.forget()) {
            workers.discard(request.spawnId(), reason);
        } else {
            workers.find(request.spawnId()).terminate(reason);
        }
        return new Done();
    }

    private WorkersAnswer list() {
        WorkersAnswer listing = workers.list();
        return new WorkersAnswer(listing.workers().stream().map(this::shown).toList(), listing.starting());
    }

    private WorkerView shown(WorkerView worker) {
        return new WorkerView(
                worker.spawnId(),
                shown(worker.spawned()),
                worker.lastSeq(),
                worker.ended(),
                worker.working(),
                worker.asks());
    }

    private SpawnAnswer shown(SpawnAnswer spawned) {
        return new SpawnAnswer(
                spawned.workspace(), spawned.posture().withToolWall(made.toolWall()), spawned.ttySmallest());
    }

    static FileGlobs globs(List<String> allow) {
        try {
            return new FileGlobs(allow);
        } catch (IllegalArgumentException e) {
            throw BrigException.invalid("allow", String.valueOf(e.getMessage()));
        }
    }

    private AuditAnswer audit(String from) {
        AuditFiles.Part part = networks.egress().audit(from, AUDIT_BYTES_MAX);
        return new AuditAnswer(part.lines(), part.next(), part.oldestMs());
    }

    private DoctorAnswer doctor() {
        return new DoctorAnswer(Stream.of(walls.findings(), List.of(made.finding()), confinement(), offer.findings())
                .flatMap(List::stream)
                .toList());
    }

    /** The confinement of brig-egress on this host. */
    private List<Finding> confinement() {
        try {
            return networks.egress().confinement().stream()
                    .map(found -> new Finding(found.name(), found.status(), found.detail(), null))
                    .toList();
        } catch (BrigException e) {
            return List.of(new Finding("brig-egress", FindingStatus.FAIL, e.getMessage(), null));
        }
    }
}

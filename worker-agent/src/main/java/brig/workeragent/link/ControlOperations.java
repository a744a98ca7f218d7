package brig.workeragent.link;

import brig.egress.audit.AuditFiles;
import brig.egress.policy.EgressPolicy;
import brig.protocol.BrigException;
import brig.protocol.Ids;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.AskAnswer;
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
import brig.protocol.control.ControlRequest.Hello;
import brig.protocol.control.ControlRequest.Lendable;
import brig.protocol.control.ControlRequest.ListWorkers;
import brig.protocol.control.ControlRequest.Mirror;
import brig.protocol.control.ControlRequest.Ping;
import brig.protocol.control.ControlRequest.Shutdown;
import brig.protocol.control.ControlRequest.Spawn;
import brig.protocol.control.ControlRequest.Terminate;
import brig.protocol.control.ControlRequest.TestRoute;
import brig.protocol.control.ControlRequest.Workspaces;
import brig.protocol.control.DiscardAnswer;
import brig.protocol.control.DoctorAnswer;
import brig.protocol.control.Done;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressAnswer.OpenAsk;
import brig.protocol.control.EgressAnswer.SecretUse;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.EgressDecision;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.HelloAnswer;
import brig.protocol.control.LendableAnswer;
import brig.protocol.control.SpawnAnswer;
import brig.protocol.control.WorkersAnswer;
import brig.protocol.control.WorkersAnswer.WorkerView;
import brig.protocol.control.WorkspacesAnswer;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import brig.workeragent.egress.EgressOverview;
import brig.workeragent.egress.EgressProcess;
import brig.workeragent.profile.AgentCatalog;
import brig.workeragent.wall.FileGlobs;
import brig.workeragent.wall.Walls;
import brig.workeragent.worker.EgressSessions.Person;
import brig.workeragent.worker.EndReason;
import brig.workeragent.worker.RouteTrial;
import brig.workeragent.worker.Workers;
import brig.workeragent.workspace.MadeWorkspaces;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** What gateways may ask on control connections. Thread-safe; a spawn blocks until its worker is up. */
public final class ControlOperations {
    /** An answer, and a task to run once it is written. */
    record Outcome(Record answer, Runnable afterwards) {
        Outcome(Record answer) {
            this(answer, () -> {});
        }
    }

    /** Limit for audit lines in one answer, which a gateway reads on its event loop. */
    private static final int AUDIT_BYTES_MAX = 64 * 1024;

    private final Workers workers;
    private final AgentCatalog offer;
    private final MadeWorkspaces made;
    private final RouteTrial routes;
    private final Walls walls;
    private final EgressProcess egress;
    private final String version;
    private final Runnable exit;
    private final String instance = Ids.newEpoch();

    /** @param exit ends this process */
    public ControlOperations(
            Workers workers,
            AgentCatalog offer,
            MadeWorkspaces made,
            RouteTrial routes,
            Walls walls,
            EgressProcess egress,
            String version,
            Runnable exit) {
        this.workers = workers;
        this.offer = offer;
        this.made = made;
        this.routes = routes;
        this.walls = walls;
        this.egress = egress;
        this.version = version;
        this.exit = exit;
    }

    /** Carries out a request. @throws BrigException a refusal */
    Outcome run(ControlRequest request) throws InterruptedException {
        return switch (request) {
            case Hello _ -> new Outcome(hello());
            case Ping _ -> new Outcome(new Done());
            case Check check -> {
                workers.check(check.request(), check.asker());
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
            case Diff diff -> new Outcome(made.diff(diff.spawnId()));
            case Apply apply -> new Outcome(made.apply(apply.spawnId(), apply.check(), globs(apply.allow())));
            case Workspaces _ -> new Outcome(new WorkspacesAnswer(made.kept()));
            case Discard discard -> {
                made.discard(discard.spawnId());
                yield new Outcome(new DiscardAnswer(discard.spawnId()));
            }
            case Egress asked -> new Outcome(egress(asked));
            case Answer answer -> new Outcome(answer(answer));
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
        return new SpawnAnswer(spawned.workspace(), spawned.posture().withToolWall(made.toolWall()));
    }

    static FileGlobs globs(List<String> allow) {
        try {
            return new FileGlobs(allow);
        } catch (IllegalArgumentException e) {
            throw BrigException.invalid("allow", String.valueOf(e.getMessage()));
        }
    }

    private Record egress(Egress request) {
        EgressDecision decision = request.decision();
        if (decision == null) {
            return show(request.spawnId(), egress.show(request.spawnId()));
        }
        try {
            String about = decision == EgressDecision.REVOKE ? request.secret() : request.host();
            Person person = new Person(request.by(), request.via());
            return decide(request.spawnId(), decision, Objects.requireNonNull(about), person);
        } catch (IllegalArgumentException e) {
            throw BrigException.invalid("host", String.valueOf(e.getMessage()));
        }
    }

    /** Answers an ask, and carries out what was decided about a host. */
    private AskAnswer answer(Answer request) {
        AnswerChoice choice = request.answer();
        Frame.Ask ask = workers.find(request.spawnId()).answer(request.askId(), choice);
        if (ask.kind() == Frame.Ask.Kind.EGRESS) {
            EgressDecision decision = EgressDecision.valueOf(
                    Objects.requireNonNull(choice.option()).toUpperCase(Locale.ROOT));
            decide(
                    request.spawnId(),
                    decision,
                    Objects.requireNonNull(ask.nativeId()),
                    new Person(choice.by(), choice.via()));
        }
        return new AskAnswer(request.askId(), choice.option(), choice.text());
    }

    private EgressDecided decide(String id, EgressDecision decision, String about, Person person) {
        return switch (decision) {
            case ALLOW, ONCE -> {
                egress.allow(id, about, decision, person);
                yield new EgressDecided(id, decision, about, null, null, null);
            }
            case SAVE -> {
                egress.allow(id, about, decision, person);
                String policy = workers.find(id).policyName();
                String file = offer.policies().allow(policy, about).toString();
                yield new EgressDecided(id, decision, about, policy, file, null);
            }
            case DENY -> {
                egress.deny(id, about, person);
                yield new EgressDecided(id, decision, about, null, null, null);
            }
            case REVOKE -> {
                egress.revoke(id, about);
                yield new EgressDecided(id, decision, null, null, null, about);
            }
        };
    }

    private EgressAnswer show(String id, EgressOverview overview) {
        EgressPolicy policy = overview.policy();
        return new EgressAnswer(
                id,
                workers.find(id).policyName(),
                overview.hasWayOut(),
                policy.allowedHosts(),
                policy.deniedHosts(),
                policy.tunnelHosts(),
                overview.allowed(),
                policy.secrets().entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(secret -> new SecretUse(
                                secret.getKey(),
                                secret.getValue().hosts(),
                                overview.revoked().contains(secret.getKey())))
                        .toList(),
                workers.find(id).openAsks().stream()
                        .filter(ask -> ask.kind() == Frame.Ask.Kind.EGRESS)
                        .sorted(Comparator.comparing(Frame.Ask::deadline))
                        .map(ControlOperations::shown)
                        .toList());
    }

    private static OpenAsk shown(Frame.Ask ask) {
        JsonObject detail = (JsonObject) Objects.requireNonNull(ask.detail());
        return new OpenAsk(
                detail.text("host", ""),
                detail.number("port", 0),
                detail.text("method", ""),
                detail.text("rule", ""),
                ask.deadline());
    }

    private AuditAnswer audit(String from) {
        AuditFiles.Part part = egress.audit(from, AUDIT_BYTES_MAX);
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
            return egress.confinement().stream()
                    .map(found -> new Finding(found.name(), found.status(), found.detail(), null))
                    .toList();
        } catch (BrigException e) {
            return List.of(new Finding("brig-egress", FindingStatus.FAIL, e.getMessage(), null));
        }
    }
}

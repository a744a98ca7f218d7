package brig.workeragent.link;

import brig.egress.audit.AuditFiles;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.json.Fields;
import brig.protocol.message.SpawnRequest;
import brig.workeragent.egress.EgressOverview;
import brig.workeragent.egress.EgressProcess;
import brig.workeragent.posture.Posture;
import brig.workeragent.profile.AgentCatalog;
import brig.workeragent.wall.FileGlobs;
import brig.workeragent.wall.Walls;
import brig.workeragent.worker.EndReason;
import brig.workeragent.worker.RouteTrial;
import brig.workeragent.worker.SpawnResult;
import brig.workeragent.worker.Workers;
import brig.workeragent.workspace.MadeWorkspaces;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the control socket can be asked for. Any thread may call; a spawn takes as long as its worker does.
 */
public final class ControlOperations {
    /** An answer, and what happens once it is written. */
    record Outcome(Map<String, ?> answer, Runnable afterwards) {
        Outcome(Map<String, ?> answer) {
            this(answer, () -> {});
        }
    }

    /** Of lines of the audit in one answer, which a gateway reads on its event loop. */
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

    /** Does what a request says. @throws BrigException a refusal */
    Outcome run(Fields request) throws InterruptedException {
        String operation = request.requiredText("op");
        request.only(fieldsOf(operation));
        return switch (operation) {
            case "hello" -> new Outcome(hello());
            case "check" -> new Outcome(check(request));
            case "spawn" -> new Outcome(spawn(request));
            case "terminate" -> new Outcome(terminate(request));
            case "list" -> new Outcome(list());
            case "doctor" -> new Outcome(doctor());
            case "diff" -> new Outcome(diff(request));
            case "apply" -> new Outcome(apply(request));
            case "workspaces" -> new Outcome(workspaces());
            case "discard" -> new Outcome(discard(request));
            case "egress" -> new Outcome(egress(request));
            case "audit" -> new Outcome(audit(request));
            case "test_route" -> new Outcome(testRoute(request));
            default -> shutdown();
        };
    }

    private static Set<String> fieldsOf(String operation) {
        return switch (operation) {
            case "hello", "list", "workspaces", "doctor", "shutdown" -> Set.of("id", "op");
            case "check" -> Set.of("id", "op", "request", "captain", "admin");
            case "diff", "discard" -> Set.of("id", "op", "spawn_id");
            case "apply" -> Set.of("id", "op", "spawn_id", "check", "allow");
            case "audit" -> Set.of("id", "op", "from");
            case "test_route" -> Set.of("id", "op", "route");
            case "egress" -> Set.of("id", "op", "spawn_id", "decision", "host", "secret");
            case "spawn" -> Set.of("id", "op", "spawn_id", "request", "captain", "admin", "via");
            case "terminate" -> Set.of("id", "op", "spawn_id", "reason", "forget");
            default ->
                throw new BrigException(
                        ErrorCode.UNKNOWN_ACTION,
                        "no such op; there are hello, check, spawn, terminate, list, diff, apply, workspaces, discard, egress, audit,"
                                + " test_route, doctor, shutdown");
        };
    }

    private Map<String, ?> hello() {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("instance", instance);
        answer.put("pid", ProcessHandle.current().pid());
        answer.put("version", version);
        answer.put("limits", walls.limitsLevel());
        answer.put("agents", offer.agents());
        answer.put("policies", offer.choices());
        answer.put("faults", offer.faults());
        return answer;
    }

    private static SpawnRequest asked(Fields request) {
        return SpawnRequest.read(request.object("request").only(SpawnRequest.FIELDS));
    }

    private static SpawnRequest.Asker asker(Fields request) {
        return new SpawnRequest.Asker(request.requiredText("captain"), request.flag("admin"), request.text("via"));
    }

    private Map<String, ?> check(Fields request) {
        workers.check(asked(request), asker(request));
        return Map.of();
    }

    private Map<String, ?> spawn(Fields request) throws InterruptedException {
        SpawnResult spawned = workers.spawn(spawnId(request), asked(request), asker(request));
        Map<String, Object> shown = new LinkedHashMap<>();
        put(shown, spawned);
        return shown;
    }

    private Map<String, ?> terminate(Fields request) {
        EndReason reason = EndReason.named(request.text("reason", ""));
        if (request.flag("forget")) {
            workers.discard(spawnId(request), reason);
        } else {
            workers.find(spawnId(request)).terminate(reason);
        }
        return Map.of();
    }

    /** The id names files: nothing but the form that Brig itself gives may pass. */
    private static String spawnId(Fields request) {
        String id = request.requiredText("spawn_id");
        if (!Ids.isSpawnId(id)) {
            throw Fields.invalid("spawn_id", "must be spn_ and 24 characters 0-9 a-z");
        }
        return id;
    }

    private Map<String, ?> list() {
        Workers.Listing listing = workers.list();
        return Map.of("workers", listing.workers().stream().map(this::show).toList(), "starting", listing.starting());
    }

    private Map<String, Object> show(Workers.View view) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("spawn_id", view.spawnId());
        put(shown, view.spawned());
        shown.put("last_seq", view.lastSeq());
        shown.put("ended", view.ended());
        shown.put("working", view.working());
        return shown;
    }

    private void put(Map<String, Object> shown, SpawnResult spawned) {
        shown.put("socket", spawned.socket().toString());
        shown.put("workspace", spawned.workspace().toString());
        Posture posture = spawned.posture();
        if (posture != null) {
            Map<String, Object> whole = posture.toMap();
            whole.put("tool_wall", made.toolWall());
            shown.put("posture", whole);
        }
    }

    private Map<String, ?> diff(Fields request) {
        String id = spawnId(request);
        MadeWorkspaces.Diff diff = made.diff(id);
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("spawn_id", id);
        putBranch(shown, diff.branch());
        shown.put("workspace", diff.folder().toString());
        shown.put("diff", diff.text());
        shown.put("truncated", diff.truncated());
        return shown;
    }

    private Map<String, ?> apply(Fields request) {
        String id = spawnId(request);
        MadeWorkspaces.Applied applied = made.apply(id, request.flag("check"), globs(request));
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("spawn_id", id);
        shown.put("repository", applied.repository().toString());
        shown.put("stat", applied.stat());
        shown.put("patch", applied.patch());
        shown.put("truncated", applied.truncated());
        shown.put("applied", applied.applied());
        shown.put("conflicts", applied.conflicts());
        shown.put(
                "withheld",
                applied.withheld().stream()
                        .map(file -> Map.of("path", file.path(), "reason", file.reason()))
                        .toList());
        return shown;
    }

    private static FileGlobs globs(Fields request) {
        try {
            return new FileGlobs(request.texts("allow"));
        } catch (IllegalArgumentException e) {
            throw Fields.invalid("allow", String.valueOf(e.getMessage()));
        }
    }

    private static void putBranch(Map<String, Object> shown, @Nullable String branch) {
        if (branch != null) {
            shown.put("branch", branch);
        }
    }

    private Map<String, ?> workspaces() {
        return Map.of(
                "workspaces",
                made.kept().stream()
                        .map(kept -> {
                            Map<String, Object> shown = new LinkedHashMap<>();
                            shown.put("spawn_id", kept.spawnId());
                            shown.put("task_id", kept.taskId());
                            shown.put("workspace_mode", kept.kind());
                            shown.put("source", kept.source().toString());
                            putBranch(shown, kept.branch());
                            shown.put("workspace", kept.folder().toString());
                            shown.put("ended_ms", kept.endedMs());
                            return shown;
                        })
                        .toList());
    }

    private Map<String, ?> discard(Fields request) {
        String id = spawnId(request);
        made.discard(id);
        return Map.of("spawn_id", id);
    }

    private Map<String, ?> egress(Fields request) {
        String id = spawnId(request);
        String decision = request.text("decision");
        if (decision == null) {
            return show(id, egress.show(id));
        }
        Map<String, Object> done = new LinkedHashMap<>();
        done.put("spawn_id", id);
        done.put("decision", decision);
        try {
            switch (decision) {
                case "allow", "once" -> egress.allow(id, host(request, done), decision.equals("once"));
                case "save" -> {
                    String host = host(request, done);
                    egress.allow(id, host, false);
                    String policy = workers.find(id).policyName();
                    done.put("policy", policy);
                    done.put("file", offer.policies().allow(policy, host).toString());
                }
                case "deny" -> egress.deny(id, host(request, done));
                case "revoke" -> {
                    String secret = request.requiredText("secret");
                    egress.revoke(id, secret);
                    done.put("secret", secret);
                }
                default -> throw Fields.invalid("decision", "must be allow, once, save, deny or revoke");
            }
        } catch (IllegalArgumentException e) {
            throw Fields.invalid("host", String.valueOf(e.getMessage()));
        }
        return done;
    }

    private Map<String, ?> audit(Fields request) {
        AuditFiles.Part part = egress.audit(request.text("from", ""), AUDIT_BYTES_MAX);
        return Map.of("lines", part.lines(), "next", part.next(), "oldest_ms", part.oldestMs());
    }

    private Map<String, ?> testRoute(Fields request) throws InterruptedException {
        RouteTrial.Answer answer = routes.run(request.requiredText("route"));
        return Map.of(
                "route",
                answer.route(),
                "base_url",
                answer.baseUrl(),
                "status",
                answer.status(),
                "text",
                answer.text());
    }

    private static String host(Fields request, Map<String, Object> done) {
        String host = request.requiredText("host");
        done.put("host", host);
        return host;
    }

    private Map<String, ?> show(String id, EgressOverview overview) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("spawn_id", id);
        shown.put("policy", workers.find(id).policyName());
        shown.put("way_out", overview.hasWayOut());
        shown.put("allowed", overview.policy().allowedHosts());
        shown.put("denied", overview.policy().deniedHosts());
        shown.put("tunnelled", overview.policy().tunnelHosts());
        shown.put("allowed_meanwhile", overview.allowed());
        // Never where they come from: that a person may not know who may know the name.
        shown.put(
                "secrets",
                overview.policy().secrets().keySet().stream()
                        .sorted()
                        .map(name -> Map.of(
                                "name",
                                name,
                                "hosts",
                                hostsOf(overview, name),
                                "revoked",
                                overview.revoked().contains(name)))
                        .toList());
        shown.put(
                "asks",
                overview.asks().stream()
                        .map(ask -> {
                            Map<String, Object> one = new LinkedHashMap<>();
                            one.put("host", ask.host());
                            one.put("port", ask.port());
                            one.put("method", ask.method());
                            one.put("rule", ask.rule());
                            one.put("deadline_ms", ask.deadlineMs());
                            return one;
                        })
                        .toList());
        return shown;
    }

    private static List<String> hostsOf(EgressOverview overview, String secret) {
        var known = overview.policy().secrets().get(secret);
        return known == null ? List.of() : known.hosts();
    }

    private Map<String, ?> doctor() {
        Stream<Walls.Finding> findings = Stream.of(
                        walls.findings(), List.of(made.finding()), confinement(), offer.findings())
                .flatMap(List::stream);
        return Map.of(
                "findings",
                findings.map(finding -> {
                            Map<String, Object> shown = new LinkedHashMap<>();
                            shown.put("name", finding.name());
                            shown.put("status", finding.status());
                            shown.put("detail", finding.detail());
                            String mend = finding.mend();
                            if (mend != null) {
                                shown.put("mend", mend);
                            }
                            return shown;
                        })
                        .toList());
    }

    /** How brig-egress runs here. */
    private List<Walls.Finding> confinement() {
        try {
            return egress.confinement().stream()
                    .map(found -> new Walls.Finding(found.name(), found.status(), found.detail(), null))
                    .toList();
        } catch (BrigException e) {
            return List.of(new Walls.Finding("brig-egress", "FAIL", String.valueOf(e.getMessage()), null));
        }
    }

    private Outcome shutdown() throws InterruptedException {
        workers.shutdown();
        return new Outcome(Map.of(), exit);
    }
}

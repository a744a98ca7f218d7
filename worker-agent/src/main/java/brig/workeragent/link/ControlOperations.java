package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import brig.protocol.Ids;
import brig.protocol.SpawnRequest;
import brig.workeragent.egress.EgressProcess;
import brig.workeragent.posture.Posture;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.profile.Policies;
import brig.workeragent.profile.Programs;
import brig.workeragent.wall.Walls;
import brig.workeragent.worker.EndReason;
import brig.workeragent.worker.Spawned;
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

    private final Workers workers;
    private final AgentProfiles profiles;
    private final Programs programs;
    private final Policies policies;
    private final MadeWorkspaces made;
    private final Walls walls;
    private final EgressProcess egress;
    private final String version;
    private final Runnable exit;
    private final String instance = Ids.newEpoch();

    /** @param exit ends this process */
    public ControlOperations(
            Workers workers, AgentProfiles profiles, Programs programs, Policies policies, MadeWorkspaces made,
            Walls walls, EgressProcess egress, String version, Runnable exit) {
        this.workers = workers;
        this.profiles = profiles;
        this.programs = programs;
        this.policies = policies;
        this.made = made;
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
            case "workspaces" -> new Outcome(workspaces());
            case "discard" -> new Outcome(discard(request));
            case "egress" -> new Outcome(egress(request));
            default -> shutdown();
        };
    }

    private static Set<String> fieldsOf(String operation) {
        return switch (operation) {
            case "hello", "list", "workspaces", "doctor", "shutdown" -> Set.of("id", "op");
            case "check" -> Set.of("id", "op", "request");
            case "diff", "discard" -> Set.of("id", "op", "spawn_id");
            case "egress" -> Set.of("id", "op", "spawn_id", "decision", "host", "secret");
            case "spawn" -> Set.of("id", "op", "spawn_id", "request");
            case "terminate" -> Set.of("id", "op", "spawn_id", "reason", "forget");
            default -> throw new BrigException(ErrorCode.UNKNOWN_ACTION,
                    "no such op; there are hello, check, spawn, terminate, list, diff, workspaces, discard, egress, doctor,"
                    + " shutdown");
        };
    }

    private Map<String, ?> hello() {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("instance", instance);
        answer.put("pid", ProcessHandle.current().pid());
        answer.put("version", version);
        answer.put("limits", walls.limitsLevel());
        answer.put("agents", profiles.usable().stream()
                .map(agent -> ordered("name", agent.name(), "description", agent.profile().description(),
                        "policy", agent.profile().policy()))
                .toList());
        answer.put("policies", policies.usable().stream()
                .map(policy -> ordered("name", policy.name(), "description", policy.policy().description()))
                .toList());
        return answer;
    }

    /** Names and their values in turn, shown in this order. */
    private static Map<String, String> ordered(String... pairs) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return map;
    }

    private static SpawnRequest asked(Fields request) {
        return SpawnRequest.read(request.object("request").only(SpawnRequest.FIELDS));
    }

    private Map<String, ?> check(Fields request) {
        workers.check(asked(request));
        return Map.of();
    }

    private Map<String, ?> spawn(Fields request) throws InterruptedException {
        Spawned spawned = workers.spawn(spawnId(request), asked(request));
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
        return Map.of("workers", listing.workers().stream().map(ControlOperations::show).toList(),
                "starting", listing.starting());
    }

    private static Map<String, Object> show(Workers.View view) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("spawn_id", view.spawnId());
        put(shown, view.spawned());
        shown.put("last_seq", view.lastSeq());
        shown.put("ended", view.ended());
        return shown;
    }

    private static void put(Map<String, Object> shown, Spawned spawned) {
        shown.put("socket", spawned.socket().toString());
        shown.put("workspace", spawned.workspace().toString());
        Posture posture = spawned.posture();
        if (posture != null) {
            shown.put("posture", posture.toMap());
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

    private static void putBranch(Map<String, Object> shown, @Nullable String branch) {
        if (branch != null) {
            shown.put("branch", branch);
        }
    }

    private Map<String, ?> workspaces() {
        return Map.of("workspaces", made.kept().stream().map(kept -> {
            Map<String, Object> shown = new LinkedHashMap<>();
            shown.put("spawn_id", kept.spawnId());
            shown.put("task_id", kept.taskId());
            shown.put("workspace_mode", kept.kind());
            shown.put("source", kept.source().toString());
            putBranch(shown, kept.branch());
            shown.put("workspace", kept.folder().toString());
            shown.put("ended_ms", kept.endedMs());
            return shown;
        }).toList());
    }

    private Map<String, ?> discard(Fields request) {
        String id = spawnId(request);
        made.discard(id);
        return Map.of("spawn_id", id);
    }

    private Map<String, ?> egress(Fields request) {
        String id = spawnId(request);
        String decision = request.requiredText("decision");
        try {
            switch (decision) {
                case "allow", "once" -> egress.allow(id, request.requiredText("host"), decision.equals("once"));
                case "deny" -> egress.deny(id, request.requiredText("host"));
                case "revoke" -> egress.revoke(id, request.requiredText("secret"));
                default -> throw Fields.invalid("decision", "must be allow, once, deny or revoke");
            }
        } catch (IllegalArgumentException e) {
            throw Fields.invalid("host", String.valueOf(e.getMessage()));
        }
        return Map.of();
    }

    private Map<String, ?> doctor() {
        Stream<Walls.Finding> findings = Stream.concat(walls.findings().stream(), programs.findings(profiles).stream());
        return Map.of("findings", findings.map(finding -> {
            Map<String, Object> shown = new LinkedHashMap<>();
            shown.put("name", finding.name());
            shown.put("status", finding.status());
            shown.put("detail", finding.detail());
            String mend = finding.mend();
            if (mend != null) {
                shown.put("mend", mend);
            }
            return shown;
        }).toList());
    }

    private Outcome shutdown() throws InterruptedException {
        workers.shutdown();
        return new Outcome(Map.of(), exit);
    }
}

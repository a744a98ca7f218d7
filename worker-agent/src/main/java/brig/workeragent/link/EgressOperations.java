package brig.workeragent.link;

import brig.egress.policy.EgressPolicy;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.AskAnswer;
import brig.protocol.control.ControlRequest.Answer;
import brig.protocol.control.ControlRequest.Egress;
import brig.protocol.control.EgressAnswer;
import brig.protocol.control.EgressAnswer.OpenAsk;
import brig.protocol.control.EgressAnswer.SecretUse;
import brig.protocol.control.EgressDecided;
import brig.protocol.control.EgressDecision;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import brig.workeragent.egress.EgressOverview;
import brig.workeragent.egress.EgressProcess;
import brig.workeragent.profile.Policies;
import brig.workeragent.worker.EgressSessions.Person;
import brig.workeragent.worker.Workers;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What gateways may ask about networks of workers. Thread-safe. */
final class EgressOperations {
    private final Workers workers;
    private final ControlOperations.Networks networks;
    private final Policies policies;

    EgressOperations(Workers workers, ControlOperations.Networks networks, Policies policies) {
        this.workers = workers;
        this.networks = networks;
        this.policies = policies;
    }

    /** Shows what a worker may reach, or carries out a decision. */
    Record run(Egress request) {
        EgressDecision decision = request.decision();
        requireOwnPolicy(request.spawnId(), decision == null ? null : decision.name());
        if (decision == null) {
            return show(request.spawnId(), networks.egress().show(request.spawnId()));
        }
        try {
            String about = decision == EgressDecision.REVOKE ? request.secret() : request.host();
            Person person = new Person(request.by(), request.via());
            return decide(request.spawnId(), decision, Objects.requireNonNull(about), person);
        } catch (IllegalArgumentException e) {
            throw BrigException.invalid("host", String.valueOf(e.getMessage()));
        }
    }

    /** Answers an ask, and carries out what was decided about a host, unless that is for home to do. */
    AskAnswer answer(Answer request) {
        AnswerChoice choice = request.answer();
        if (workers.find(request.spawnId()).openAsks().stream()
                .anyMatch(ask ->
                        ask.kind() == Frame.Ask.Kind.EGRESS && ask.askId().equals(request.askId()))) {
            requireOwnPolicy(request.spawnId(), choice.option());
        }
        Frame.Ask ask = workers.find(request.spawnId()).answer(request.askId(), choice);
        if (ask.kind() == Frame.Ask.Kind.EGRESS && !networks.relayed().has(request.spawnId())) {
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

    /** A policy that home handed over is a file there. */
    private void requireOwnPolicy(String id, @Nullable String decision) {
        boolean ofHome = workers.handed().has(id) && !networks.relayed().has(id);
        if (ofHome && EgressDecision.SAVE.name().equalsIgnoreCase(decision)) {
            throw new BrigException(
                    ErrorCode.INVALID_POLICY,
                    "the policy of this worker is on the gateway's host: allow the host here for the session, and write"
                            + " it into the policy's file there");
        }
    }

    private EgressDecided decide(String id, EgressDecision decision, String about, Person person) {
        EgressProcess egress = networks.egress();
        return switch (decision) {
            case ALLOW, ONCE -> {
                egress.allow(id, about, decision, person);
                yield new EgressDecided(id, decision, about, null, null, null);
            }
            case SAVE -> {
                egress.allow(id, about, decision, person);
                String policy = policyName(id);
                String file = policies.allow(policy, about).toString();
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

    private String policyName(String id) {
        String granted = networks.grants().policyName(id);
        return granted == null ? workers.find(id).policyName() : granted;
    }

    private EgressAnswer show(String id, EgressOverview overview) {
        EgressPolicy policy = overview.policy();
        return new EgressAnswer(
                id,
                policyName(id),
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
                asks(id));
    }

    /** Those of a worker on another host are known there. */
    private List<OpenAsk> asks(String id) {
        if (networks.grants().policyName(id) != null) {
            return List.of();
        }
        return workers.find(id).openAsks().stream()
                .filter(ask -> ask.kind() == Frame.Ask.Kind.EGRESS)
                .sorted(Comparator.comparing(Frame.Ask::deadline))
                .map(EgressOperations::shown)
                .toList();
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
}

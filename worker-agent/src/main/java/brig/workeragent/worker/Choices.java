package brig.workeragent.worker;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.spawn.PermissionMode;
import brig.protocol.spawn.RootName;
import brig.protocol.spawn.RootOverlay;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.handover.HandedOver;
import brig.workeragent.handover.Handover;
import brig.workeragent.home.AgentHomes;
import brig.workeragent.image.RootLayers;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.profile.Policies;
import brig.workeragent.wall.Confinement;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds what a spawn runs with: in the files of this host, or in what home hands over. Thread-safe. */
record Choices(AgentProfiles profiles, Policies policies, HandedOver handed) {
    /**
     * What a spawn runs with.
     *
     * @param request adapted to the agent
     * @param network where its rules come from while it runs
     */
    record Choice(
            AgentProfiles.Named agent, SpawnRequest request, Policies.Named policy, EgressSessions.Source network) {
        /** The network as a project narrows it. */
        EgressSessions.Source networkBy(UnaryOperator<Confinement> narrowing) {
            return new EgressSessions.Source(
                    () -> narrowing
                            .apply(policy.confinement().with(network.policy().get()))
                            .egress(),
                    network.secrets(),
                    network.purses());
        }

        /** Asks a person about logins, if one is asked about tools. */
        @Nullable
        LoginAsks loginAsks(OpenAsks asks, String spawnId, EgressSessions egress, BiConsumer<String, EndReason> end) {
            boolean isAsked = agent.profile().permissionsFor(request).toldMode() == PermissionMode.ASK;
            return isAsked && network.secrets() == null
                    ? new LoginAsks(
                            asks,
                            agent.profile().asks().waitMs(),
                            () -> egress.tryLogins(spawnId),
                            () -> end.accept(spawnId, EndReason.REQUESTED))
                    : null;
        }

        /** Logs what is hard to find from inside: variables that the agent lacks. */
        void logWithheld(String spawnId) {
            Set<String> withheld = new TreeSet<>(agent.profile().env().keySet());
            withheld.removeAll(policy.confinement().variables());
            if (!withheld.isEmpty()) {
                LOG.warn("policy {} withholds {} from the agent spawn_id={}", policy.name(), withheld, spawnId);
            }
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Choices.class);

    /** What is hidden of a folder that is lent to a spawn on another host. */
    List<String> privateFiles(SpawnRequest asked) {
        return policies.choose(asked.policy(), profiles.named(asked.agent()).profile())
                .policy()
                .privateFiles();
    }

    /** By the files of this host. @throws BrigException a refusal */
    Choice here(SpawnRequest asked) {
        AgentProfiles.Named named = profiles.named(asked.agent());
        Policies.Named policy = policies.find(asked.policy(), named.profile());
        AgentProfiles.Named agent =
                named.signedIn(policy.confinement().egress()).startedFor(asked);
        SpawnRequest request = rooted(agent.told(asked), agent, policy);
        return new Choice(
                agent,
                request,
                policy,
                EgressSessions.Source.of(() -> policies.find(request.policy(), agent.profile())
                        .confinement()
                        .egress()));
    }

    /**
     * By what home hands over, which the worker has until {@link HandedOver#forget}. Waits for it.
     *
     * @throws BrigException a refusal, as for files of this host
     */
    Choice handed(String spawnId, SpawnRequest asked) throws InterruptedException {
        Handover given = handed.await(spawnId);
        AgentProfiles.Named agent = new AgentProfiles.Named(
                        given.agent(), given.profile(), given.usualModel(), given.files() ? files(given.agent()) : null)
                .startedFor(asked);
        Policies.Named policy = policies.resolve(given.chosen());
        return new Choice(
                agent,
                rooted(agent.told(asked), agent, policy),
                policy,
                new EgressSessions.Source(
                        () -> handed.now(spawnId).policy().egress(), () -> handed.secretsNow(spawnId), List::of));
    }

    /**
     * With the root that the request names, or else the agent's; the policy may say which it must be.
     *
     * @throws BrigException {@code FORBIDDEN}
     */
    private static SpawnRequest rooted(SpawnRequest request, AgentProfiles.Named agent, Policies.Named policy) {
        return overlaid(withRoot(request, agent, policy), agent, policy);
    }

    /** With what the request says of writing into the root, or else the agent's profile; the policy says what may be. */
    private static SpawnRequest overlaid(SpawnRequest request, AgentProfiles.Named agent, Policies.Named policy) {
        RootOverlay asked = request.place().rootOverlay();
        RootOverlay wanted = asked == null ? agent.profile().rootOverlay() : asked;
        if (wanted == null) {
            return request;
        }
        if (wanted.compareTo(policy.policy().rootOverlay()) > 0) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    "the policy '" + policy.name() + "' has the rootOverlay '"
                            + policy.policy().rootOverlay().wireName() + "', and "
                            + (asked == null ? "the agent '" + agent.name() + "'" : "the request") + " asks for '"
                            + wanted.wireName() + "'");
        }
        String root = request.place().root();
        RootLayers.requireImage(
                root == null ? null : RootName.parse("root", root).image(), wanted, AgentHomes.project(request));
        return request.overlaid(wanted);
    }

    private static SpawnRequest withRoot(SpawnRequest request, AgentProfiles.Named agent, Policies.Named policy) {
        if (request.place().tunnel() != null && !agent.profile().services().isEmpty()) {
            throw BrigException.invalid(
                    "tunnel",
                    "is nothing for the agent '" + agent.name() + "': its services are here, and its shell there");
        }
        String asked = request.place().root();
        String wanted = asked == null ? agent.profile().root() : asked;
        String only = policy.policy().root();
        if (wanted.isEmpty() || only.isEmpty()) {
            return wanted.isEmpty() && only.isEmpty() ? request : request.rooted(wanted + only);
        }
        RootName both = RootName.parse("root", wanted).and(RootName.parse("root", only));
        if (both == null) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    "the policy '" + policy.name() + "' has the root " + only + " alone, and "
                            + (asked == null ? "the agent '" + agent.name() + "'" : "the request") + " asks for "
                            + wanted);
        }
        return request.rooted(both.toString());
    }

    private Path files(String agent) {
        @Nullable Path files = profiles.filesOf(agent);
        if (files == null) {
            throw new BrigException(
                    ErrorCode.UNKNOWN_AGENT,
                    "the agent '" + agent + "' has a folder of files beside its profile, which must be on this host"
                            + " too: beside a profile of that name in a folder of worker.agentDirs");
        }
        return files;
    }
}

package brig.workeragent.profile;

import brig.protocol.BrigException;
import brig.protocol.control.AgentOffer;
import brig.protocol.control.AgentOffer.State;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.HelloAnswer.PolicyOffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The agents and policies that captains may request here, and their faults, for people. Read anew each time.
 *
 * @param missing configured folders that did not exist at the start, as faults
 */
public record AgentCatalog(AgentProfiles profiles, Programs programs, Policies policies, List<String> missing) {

    /** Each agent, and whether it can run. */
    public List<AgentOffer> agents() {
        return profiles.usable().stream().map(this::show).toList();
    }

    private AgentOffer show(AgentProfiles.Named agent) {
        AgentProfile profile = agent.profile();
        State state = State.READY;
        String problem = null;
        try {
            programs.find(agent);
            policies.find(null, profile);
        } catch (BrigException e) {
            state = switch (e.code()) {
                case COMMAND_NOT_FOUND -> State.NOT_INSTALLED;
                case MODEL_ROUTE_MISSING -> State.NO_ROUTE;
                default -> State.FAULTY;
            };
            problem = e.getMessage();
        }
        return new AgentOffer(
                agent.name(),
                profile.description(),
                profile.policy(),
                profile.isModel(),
                profile.needsMessage(),
                profile.tty() != null,
                state,
                problem);
    }

    /** The policies that a request may choose. */
    public List<PolicyOffer> choices() {
        return policies.usable().stream()
                .map(policy -> new PolicyOffer(policy.name(), policy.policy().description()))
                .toList();
    }

    /** The unusable files of the operator, in words. */
    public List<String> faults() {
        List<String> faults = new ArrayList<>(missing);
        if (profiles.usable().isEmpty()) {
            faults.add("there is no agent that can be run: worker.agentDirs names no folder with a profile");
        }
        faults.addAll(profiles.faults());
        faults.addAll(policies.faults());
        return faults;
    }

    /** The same as findings of the doctor, including agents that have to be installed. */
    public List<Finding> findings() {
        return Stream.concat(
                        programs.findings(profiles, policies).stream(),
                        faults().stream().map(fault -> new Finding("configuration", FindingStatus.WARN, fault, null)))
                .toList();
    }
}

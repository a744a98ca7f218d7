package brig.workeragent.profile;

import brig.protocol.BrigException;
import brig.workeragent.wall.Walls.Finding;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What captains may ask for here, and what stands in the way of it: for people, before they ask. Read anew each time.
 *
 * @param missing folders that the configuration names and that were not there at the start, as faults
 */
public record AgentCatalog(AgentProfiles profiles, Programs programs, Policies policies, List<String> missing) {

    /**
     * Each agent with {@code name}, {@code description}, {@code policy}, {@code as_model}, {@code needs_message},
     * {@code state}, and {@code problem} where it cannot run.
     */
    public List<Map<String, Object>> agents() {
        return profiles.usable().stream().map(this::show).toList();
    }

    private Map<String, Object> show(AgentProfiles.Named agent) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("name", agent.name());
        shown.put("description", agent.profile().description());
        shown.put("policy", agent.profile().policy());
        shown.put("as_model", agent.profile().asModel());
        shown.put("needs_message", agent.profile().needsMessage());
        try {
            programs.find(agent);
            policies.find(null, agent.profile());
            shown.put("state", "ready");
        } catch (BrigException e) {
            shown.put(
                    "state",
                    switch (e.code()) {
                        case COMMAND_NOT_FOUND -> "not_installed";
                        case MODEL_ROUTE_MISSING -> "no_route";
                        default -> "faulty";
                    });
            shown.put("problem", String.valueOf(e.getMessage()));
        }
        return shown;
    }

    /** The policies that a request may choose, with {@code name} and {@code description}. */
    public List<Map<String, String>> choices() {
        return policies.usable().stream()
                .map(policy -> {
                    Map<String, String> shown = new LinkedHashMap<>();
                    shown.put("name", policy.name());
                    shown.put("description", policy.policy().description());
                    return shown;
                })
                .toList();
    }

    /** What of the operator's files cannot be used, in words. */
    public List<String> faults() {
        List<String> faults = new ArrayList<>(missing);
        if (profiles.usable().isEmpty()) {
            faults.add("there is no agent that can be run: worker.agentDirs names no folder with a profile");
        }
        faults.addAll(profiles.faults());
        faults.addAll(policies.faults());
        return faults;
    }

    /** The same as lines of the doctor, with the agents that have to be installed. */
    public List<Finding> findings() {
        return Stream.concat(
                        programs.findings(profiles, policies).stream(),
                        faults().stream().map(fault -> new Finding("configuration", "WARN", fault, null)))
                .toList();
    }
}

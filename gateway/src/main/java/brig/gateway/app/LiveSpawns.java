package brig.gateway.app;

import brig.gateway.spawn.Spawn;
import brig.gateway.spawn.Spawns;
import brig.gateway.telemetry.Counters;
import brig.protocol.SpawnState;
import brig.protocol.api.BudgetView;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** The live spawns in numbers, for the metrics. */
record LiveSpawns(Spawns spawns) {
    /** Parts of budgets that are told, in percent. */
    private static final List<Integer> BUDGET_STEPS = List.of(0, 50, 80, 100);

    /** How many there are in each state. */
    Map<String, Integer> states() {
        Map<String, Integer> states = new TreeMap<>();
        Arrays.stream(SpawnState.values())
                .filter(state -> !state.isFinal())
                .forEach(state -> states.put(state.wireName(), 0));
        spawns.live().forEach(spawn -> states.merge(spawn.state().wireName(), 1, Integer::sum));
        return states;
    }

    /** How many have used which part of their budget, by the steps that streams tell. */
    Map<String, Integer> budgets() {
        Map<String, Integer> budgets = new TreeMap<>();
        BUDGET_STEPS.forEach(step -> budgets.put(String.valueOf(step), 0));
        for (Spawn spawn : spawns.live()) {
            BudgetView budget = spawn.tree().budget();
            if (budget != null) {
                int step = BUDGET_STEPS.stream()
                        .filter(one -> one <= budget.percent())
                        .reduce(0, Math::max);
                budgets.merge(String.valueOf(step), 1, Integer::sum);
            }
        }
        return budgets;
    }

    /** How many asks wait, by their kinds. */
    Map<String, Integer> openAsks() {
        Map<String, Integer> asks = new TreeMap<>();
        Counters.ASK_KINDS.forEach(kind -> asks.put(kind, 0));
        for (Spawn spawn : spawns.live()) {
            spawn.asks()
                    .open()
                    .forEach(view -> asks.merge(Counters.label(view.ask().kind()), 1, Integer::sum));
        }
        return asks;
    }

    /** The providers of models that requests wait for, one for each spawn. */
    List<String> throttling() {
        return spawns.live().stream()
                .map(Spawn::throttlingProvider)
                .filter(Objects::nonNull)
                .toList();
    }
}

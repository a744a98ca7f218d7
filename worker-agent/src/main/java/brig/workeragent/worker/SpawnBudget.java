package brig.workeragent.worker;

import brig.egress.budget.Limit;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.budget.Budgets;

/** The budget of a spawn: its own, within those of its profile and its policy. */
record SpawnBudget(Choices.Choice choice, SpawnRequest.Asker asker) {
    /** Carries out what a person answers. */
    record Answers(String spawnId, Budgets budgets, EgressSessions egress, Runnable ending)
            implements SpendAsks.Actions {
        @Override
        public void raise() {
            Limit limit = budgets.raise(spawnId);
            if (limit != null) {
                egress.limit(spawnId, limit);
            }
        }

        @Override
        public void end() {
            ending.run();
        }
    }

    private Budget ofFiles() {
        return choice.agent().profile().budget().within(choice.policy().policy().budget());
    }

    Budget budget() {
        Budget asked = choice.request().bounds().budget();
        return asked == null ? ofFiles() : asked.within(ofFiles());
    }

    /** @param here whether the budget is kept on this host */
    SpendAsks asks(OpenAsks asks, EgressFrames told, Budgets.Terms terms, boolean here, Answers answers) {
        long waitMs = choice.agent().profile().asks().waitMs();
        SpendAsks.Raising raising = here ? raising() : SpendAsks.Raising.NOBODY;
        return new SpendAsks(asks, told, terms.onLimit(), raising, waitMs, answers);
    }

    /** Captains raise what they gave themselves. */
    private SpendAsks.Raising raising() {
        Budget files = ofFiles();
        boolean limited = files.usd() != null || files.tokens() != null || files.egressBytes() != null;
        return limited && !asker.admin() ? SpendAsks.Raising.ADMINS : SpendAsks.Raising.CAPTAINS;
    }
}

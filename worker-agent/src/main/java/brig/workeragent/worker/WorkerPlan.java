package brig.workeragent.worker;

import brig.protocol.SpawnRequest;
import brig.workeragent.profile.AgentProfile;
import brig.workeragent.profile.Policy;
import java.nio.file.Path;

/** What a worker is made from. */
record WorkerPlan(String spawnId, SpawnRequest request, AgentProfile profile, Policy policy, Path workspace) {}

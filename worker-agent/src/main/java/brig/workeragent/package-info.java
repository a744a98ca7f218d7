/**
 * The worker-agent: one trusted process per host, outside the wall, that owns the agents' processes, converts their
 * output to numbered frames and keeps those until a gateway has stored them. {@link brig.workeragent.WorkerAgent}
 * starts it; {@code brig.workeragent.link} describes its protocol with gateways.
 */
@NullMarked
package brig.workeragent;

import org.jspecify.annotations.NullMarked;

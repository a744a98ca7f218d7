/**
 * The worker-agent: one trusted process per host, outside the wall, that owns the agents' processes, turns
 * their output into numbered frames and keeps those until a gateway has stored them. {@link
 * brig.workeragent.WorkerAgent} starts it; how a gateway talks to it stands at {@code brig.workeragent.link}.
 */
@NullMarked
package brig.workeragent;

import org.jspecify.annotations.NullMarked;

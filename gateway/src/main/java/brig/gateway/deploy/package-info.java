/**
 * What is brought to another machine and started there, so that a worker-agent runs on it, whichever way leads there.
 * Programs run on virtual threads; what they said comes back to the event loop, which owns all state.
 */
@NullMarked
package brig.gateway.deploy;

import org.jspecify.annotations.NullMarked;

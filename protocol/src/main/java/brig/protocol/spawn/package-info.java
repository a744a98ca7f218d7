/** The request for a session, the same record on its way to the gateway and to the worker-agent. */
@NullMarked
package brig.protocol.spawn;

import org.jspecify.annotations.NullMarked;

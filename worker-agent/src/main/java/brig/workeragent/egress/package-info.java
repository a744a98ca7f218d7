/**
 * Network access of workers. The worker-agent does not parse agents' traffic; the process brig-egress does, with the
 * sockets of all walls, the authority's key and the secrets. This package starts it and talks to it.
 */
@NullMarked
package brig.workeragent.egress;

import org.jspecify.annotations.NullMarked;

/**
 * What a worker reaches outside. The worker-agent does not parse what an agent sends there: a process of its
 * own does, brig-egress, which has the sockets of every wall, the authority's key and the secrets. Here are its
 * start and its link; what it does is in the packages below.
 */
@NullMarked
package brig.workeragent.egress;

import org.jspecify.annotations.NullMarked;

/**
 * What workers on another host run with, as the worker-agent at home hands it over to the one there: profile, policy, and
 * secrets. Only worker-agents read it.
 */
@NullMarked
package brig.workeragent.handover;

import org.jspecify.annotations.NullMarked;

/**
 * Budgets of sessions: what each may use up, who is above it, and the files that outlive every process. brig-egress counts
 * what requests come to; this counts sessions and time.
 */
@NullMarked
package brig.workeragent.budget;

import org.jspecify.annotations.NullMarked;

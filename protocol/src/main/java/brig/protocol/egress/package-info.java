/** What brig-egress reports of the requests of agents: events, which become frames, and the lines of the audit. */
@NullMarked
package brig.protocol.egress;

import org.jspecify.annotations.NullMarked;

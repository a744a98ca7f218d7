/** Reports of brig-egress on agents' requests: events, which become frames, and audit lines. */
@NullMarked
package brig.protocol.egress;

import org.jspecify.annotations.NullMarked;

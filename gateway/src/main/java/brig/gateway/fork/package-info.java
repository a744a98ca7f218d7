/** What happened in a session before it was forked, in words for the agent of the fork. */
@NullMarked
package brig.gateway.fork;

import org.jspecify.annotations.NullMarked;

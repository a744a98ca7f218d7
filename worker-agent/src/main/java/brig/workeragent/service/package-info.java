/** Servers that a session has beside its agent, each behind a wall of its own. */
@NullMarked
package brig.workeragent.service;

import org.jspecify.annotations.NullMarked;

/** Agent profiles: the command and the protocol behind an agent's name. */
@NullMarked
package brig.workeragent.profile;

import org.jspecify.annotations.NullMarked;

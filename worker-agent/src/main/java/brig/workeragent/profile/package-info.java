/** Agent profiles: which command an agent's name stands for, and how it is spoken to. */
@NullMarked
package brig.workeragent.profile;

import org.jspecify.annotations.NullMarked;

/**
 * Agent profiles: the command and the protocol behind an agent's name.
 *
 * <p>More than 14 classes: what a profile or a policy is made of is checked here, where the file is read.
 */
@NullMarked
package brig.workeragent.profile;

import org.jspecify.annotations.NullMarked;

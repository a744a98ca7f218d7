/** The confinement of brig-egress: the command that starts it confined, and the verdict on its measurement. */
@NullMarked
package brig.workeragent.egress.confinement;

import org.jspecify.annotations.NullMarked;

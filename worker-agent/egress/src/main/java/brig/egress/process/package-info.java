/** The process brig-egress: its start, its input and output lines, and the descriptors that it receives. */
@NullMarked
package brig.egress.process;

import org.jspecify.annotations.NullMarked;

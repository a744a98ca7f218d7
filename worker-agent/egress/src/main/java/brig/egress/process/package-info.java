/** The process brig-egress: its start, the lines that it reads and writes, and the descriptors that it is sent. */
@NullMarked
package brig.egress.process;

import org.jspecify.annotations.NullMarked;

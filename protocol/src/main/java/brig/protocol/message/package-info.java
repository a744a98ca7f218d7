/** The messages of the wires, a record for each. */
@NullMarked
package brig.protocol.message;

import org.jspecify.annotations.NullMarked;

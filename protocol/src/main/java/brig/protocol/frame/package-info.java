/** The frames of a stream, the lines about a connection, and what clients send on connections: a record for each. */
@NullMarked
package brig.protocol.frame;

import org.jspecify.annotations.NullMarked;

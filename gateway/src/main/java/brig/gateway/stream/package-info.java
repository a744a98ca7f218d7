/** The frame path: the log of a spawn, its part in memory, its readers. No sockets, no threads, no clock. */
@NullMarked
package brig.gateway.stream;

import org.jspecify.annotations.NullMarked;

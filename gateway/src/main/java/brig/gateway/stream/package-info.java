/**
 * The frame path: the log of a spawn, its part in memory, its readers. No sockets, no threads, no clock.
 *
 * <p>More than 14 classes: the frame path shares memory that no other package may touch.
 */
@NullMarked
package brig.gateway.stream;

import org.jspecify.annotations.NullMarked;

/**
 * The frame path: the log of a spawn, its window in memory, its subscriptions. It uses no sockets, threads or clocks.
 *
 * <p>More than 14 classes: the frame path shares memory that no other package may touch.
 */
@NullMarked
package brig.gateway.stream;

import org.jspecify.annotations.NullMarked;

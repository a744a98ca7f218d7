/**
 * The HTTP interface and the spawner socket: what is asked, and what is answered.
 *
 * <p>More than 14 classes: each is one message, or a word in one.
 */
@NullMarked
package brig.protocol.api;

import org.jspecify.annotations.NullMarked;

/**
 * Requests and answers of the HTTP interface and the spawner socket.
 *
 * <p>More than 14 classes: each is one message, or an enum of one.
 */
@NullMarked
package brig.protocol.api;

import org.jspecify.annotations.NullMarked;

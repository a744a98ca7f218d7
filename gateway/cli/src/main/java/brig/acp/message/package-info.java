/**
 * The messages of the Agent Client Protocol, version 1, as far as Brig supports it. Unknown fields of the editor are
 * ignored; a field of a wrong type is refused.
 *
 * <p>More than 14 classes: each message of the protocol is one.
 */
@NullMarked
package brig.acp.message;

import org.jspecify.annotations.NullMarked;

/** JSON, strictly read, and its way into fields and records. */
@NullMarked
package brig.protocol.json;

import org.jspecify.annotations.NullMarked;

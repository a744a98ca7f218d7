/** Strict JSON and its binding to fields and records. */
@NullMarked
package brig.protocol.json;

import org.jspecify.annotations.NullMarked;

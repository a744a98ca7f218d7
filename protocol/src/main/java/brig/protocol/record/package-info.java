/** Annotations for the JSON form of records, implemented by {@code brig.protocol.json}. */
@NullMarked
package brig.protocol.record;

import org.jspecify.annotations.NullMarked;

/** What a record says about its JSON, beside its components' names and types: {@code brig.protocol.json} obeys it. */
@NullMarked
package brig.protocol.record;

import org.jspecify.annotations.NullMarked;

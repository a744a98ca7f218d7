/** The newest events that agents' hooks reported. */
@NullMarked
package brig.gateway.events;

import org.jspecify.annotations.NullMarked;

/**
 * The operations of the HTTP interface, one class for each kind of resource.
 *
 * <p>More than 14 classes: there are so many kinds.
 */
@NullMarked
package brig.gateway.resources;

import org.jspecify.annotations.NullMarked;

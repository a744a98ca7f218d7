/** The operations of the HTTP interface, one class for each kind of resource. */
@NullMarked
package brig.gateway.resources;

import org.jspecify.annotations.NullMarked;

/** The installed product as a process, and a plain connection to its HTTP interface. */
@NullMarked
package brig.loadtests.product;

import org.jspecify.annotations.NullMarked;

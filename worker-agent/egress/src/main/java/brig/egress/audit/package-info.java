/** The record of what was decided about each request. */
@NullMarked
package brig.egress.audit;

import org.jspecify.annotations.NullMarked;

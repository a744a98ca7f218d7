/** The record of what was decided about each request. */
@NullMarked
package brig.workeragent.egress.audit;

import org.jspecify.annotations.NullMarked;

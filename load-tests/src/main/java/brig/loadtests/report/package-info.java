/** The forms of results: on a terminal, as JSON, and as a page with charts. */
@NullMarked
package brig.loadtests.report;

import org.jspecify.annotations.NullMarked;

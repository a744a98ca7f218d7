/** Rate limits of models' providers: requests of all workers to one of them, with one credential, go through one gate. */
@NullMarked
package brig.egress.rate;

import org.jspecify.annotations.NullMarked;

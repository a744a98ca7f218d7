/** What requests to models cost: prices of models, and the sum for one answer. */
@NullMarked
package brig.egress.price;

import org.jspecify.annotations.NullMarked;

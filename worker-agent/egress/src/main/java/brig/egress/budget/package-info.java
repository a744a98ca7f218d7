/**
 * What sessions may use up: purses, reservations in them, and the ledger that outlives the process. The file of a ledger
 * has one line for each reservation, written before the request goes out, and one when it is settled.
 *
 * <p>More than 14 classes: purses, their ledger and what is charged to them keep their parts package-private.
 */
@NullMarked
package brig.egress.budget;

import org.jspecify.annotations.NullMarked;

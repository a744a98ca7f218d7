/** A running request's data, its refusal, and the reports on it to the audit and to people. */
@NullMarked
package brig.egress.request;

import org.jspecify.annotations.NullMarked;

/** Filters of requests and answers: secrets, model usage, the audit. */
@NullMarked
package brig.egress.filter;

import org.jspecify.annotations.NullMarked;

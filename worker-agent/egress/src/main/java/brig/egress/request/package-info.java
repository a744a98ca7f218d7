/** What is known of a request while it is under way, why it is refused, and what the audit and people are told of it. */
@NullMarked
package brig.egress.request;

import org.jspecify.annotations.NullMarked;

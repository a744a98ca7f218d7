/** The {@code egress} object of a policy: hosts, addresses, secrets, and verdicts on requests. */
@NullMarked
package brig.egress.policy;

import org.jspecify.annotations.NullMarked;

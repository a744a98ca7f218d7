/**
 * The conformance kit: what PROTOCOL.md promises about streams, asked of a running server from outside. Every
 * {@link brig.loadtests.conformance.Check} quotes the rule that it proves; {@link
 * brig.loadtests.client.Transcript} judges all that is read. Mini servers with a planted defect, in the
 * tests, prove that the kit can fail.
 */
@NullMarked
package brig.loadtests.conformance;

import org.jspecify.annotations.NullMarked;

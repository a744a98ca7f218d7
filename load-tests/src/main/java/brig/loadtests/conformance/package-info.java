/**
 * The conformance kit: tests of PROTOCOL.md's rules for streams against a running server, from outside. Every {@link
 * brig.loadtests.conformance.Check} quotes its rule; {@link brig.loadtests.client.Transcript} judges all that is read.
 * In the tests, mini servers with planted defects prove that the kit can fail.
 */
@NullMarked
package brig.loadtests.conformance;

import org.jspecify.annotations.NullMarked;

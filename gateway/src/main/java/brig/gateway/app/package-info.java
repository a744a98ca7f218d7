/**
 * Composes, starts and stops the gateway. The only package that depends on all others.
 *
 * <p>More than 14 classes: each joins parts that may not know each other, or keeps one file of the gateway's state.
 */
@NullMarked
package brig.gateway.app;

import org.jspecify.annotations.NullMarked;

/** Composes, starts and stops the gateway. The only package that depends on all others. */
@NullMarked
package brig.gateway.app;

import org.jspecify.annotations.NullMarked;

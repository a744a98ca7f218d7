/** Puts the gateway together, starts it and stops it. The only package that knows all others. */
@NullMarked
package brig.gateway.app;

import org.jspecify.annotations.NullMarked;

/** Sprites (sprites.dev) as a provider, as its client 0.1.0 and its documentation of August 2026 describe it. */
@NullMarked
package brig.gateway.provider.sprites;

import org.jspecify.annotations.NullMarked;

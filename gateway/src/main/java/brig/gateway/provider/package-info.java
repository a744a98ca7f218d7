/**
 * Providers of sandboxes: services that make a machine for each session. What Brig needs of one is {@link
 * brig.gateway.provider.Provider}; the rest of this package makes sandboxes, keeps the links to them, and sees to it that
 * none outlives its session.
 */
@NullMarked
package brig.gateway.provider;

import org.jspecify.annotations.NullMarked;

/** OpenSandbox as a provider, as its specification and the sources of its server of June 2026 describe it. */
@NullMarked
package brig.gateway.provider.opensandbox;

import org.jspecify.annotations.NullMarked;

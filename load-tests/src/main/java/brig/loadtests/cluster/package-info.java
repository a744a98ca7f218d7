/** {@code brig bench cluster}: what it costs that several gateways share a host. */
@NullMarked
package brig.loadtests.cluster;

import org.jspecify.annotations.NullMarked;

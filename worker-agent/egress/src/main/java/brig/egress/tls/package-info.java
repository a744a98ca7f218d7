/** The certificates of the proxy: an authority of its own, and a leaf for each name that is met. */
@NullMarked
package brig.egress.tls;

import org.jspecify.annotations.NullMarked;

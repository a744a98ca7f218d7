/** TLS of the proxy: its certificate authority, a leaf for each server name, and verification of servers. */
@NullMarked
package brig.egress.tls;

import org.jspecify.annotations.NullMarked;

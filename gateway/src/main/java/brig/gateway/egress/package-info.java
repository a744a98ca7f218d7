/**
 * Workers on other hosts whose network is served at home: joins connections of their walls with the worker-agent of this
 * host. What the other host says about a connection is checked, and its bytes are passed on unread.
 */
@NullMarked
package brig.gateway.egress;

import org.jspecify.annotations.NullMarked;

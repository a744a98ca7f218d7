/**
 * HTTP and WebSockets to providers of sandboxes: over TLS only, to addresses that were judged, bounded in time and size.
 * What a provider answers is data from outside.
 */
@NullMarked
package brig.gateway.provider.http;

import org.jspecify.annotations.NullMarked;

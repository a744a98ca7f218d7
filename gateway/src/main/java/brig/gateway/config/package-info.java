/** Configuration as validated records, and the places where files and sockets lie. */
@NullMarked
package brig.gateway.config;

import org.jspecify.annotations.NullMarked;

/** Configuration as validated records, and the paths of files and sockets. */
@NullMarked
package brig.gateway.config;

import org.jspecify.annotations.NullMarked;

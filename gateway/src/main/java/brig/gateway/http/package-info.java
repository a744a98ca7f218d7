/** HTTP requests: the table of operations, who may call them, and their parameters and bodies. */
@NullMarked
package brig.gateway.http;

import org.jspecify.annotations.NullMarked;

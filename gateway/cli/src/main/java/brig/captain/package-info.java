/** What the servers on standard input and output share: the gateway that they use, and JSON-RPC lines. */
@NullMarked
package brig.captain;

import org.jspecify.annotations.NullMarked;

/** JSON-RPC 2.0 over lines: the messages, and who waits for which answer. Adapters of agents and editors use it. */
@NullMarked
package brig.protocol.rpc;

import org.jspecify.annotations.NullMarked;

/** JSON-RPC 2.0 over lines: messages, and the correlation of answers. Used by adapters of agents and by editors. */
@NullMarked
package brig.protocol.rpc;

import org.jspecify.annotations.NullMarked;

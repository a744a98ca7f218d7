/**
 * {@code brig mcp}: Brig as a server of the Model Context Protocol (<a
 * href="https://modelcontextprotocol.io">modelcontextprotocol.io</a>) on standard input and output, for agents that are
 * captains. It uses the gateway only through {@link brig.captain.CaptainGateway}, and keeps no state of a session: what
 * a tool needs from an earlier call is in its arguments.
 */
@NullMarked
package brig.mcp;

import org.jspecify.annotations.NullMarked;

/**
 * {@code brig acp}: Brig as an agent of the Agent Client Protocol, version 1 (<a
 * href="https://agentclientprotocol.com">agentclientprotocol.com</a>), for editors. An editor's session is a session of
 * Brig; this package converts the frames of the one to updates of the other. It uses the gateway only through {@link
 * brig.captain.CaptainGateway}, as any client of the spawner socket.
 */
@NullMarked
package brig.acp;

import org.jspecify.annotations.NullMarked;

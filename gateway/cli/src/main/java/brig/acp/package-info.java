/**
 * {@code brig acp}: Brig as an agent of the Agent Client Protocol, version 1
 * (<a href="https://agentclientprotocol.com">agentclientprotocol.com</a>), for editors. An editor's session is a session of
 * Brig; this package turns the frames of the one into the updates of the other. It reaches the gateway through
 * {@link brig.acp.AcpGateway} only, as any client of the spawner socket does.
 */
@NullMarked
package brig.acp;

import org.jspecify.annotations.NullMarked;

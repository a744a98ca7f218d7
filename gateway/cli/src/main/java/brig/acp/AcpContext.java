package brig.acp;

import java.util.concurrent.Executor;

/**
 * What all sessions of an editor share.
 *
 * @param threads for what waits for the gateway
 * @param wholeFrames whether the editor asked for each frame as it is
 */
record AcpContext(AcpGateway gateway, EditorRpc rpc, Executor threads, boolean wholeFrames) {}

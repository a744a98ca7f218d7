package brig.acp;

import java.util.concurrent.Executor;

/**
 * Shared by all sessions of an editor.
 *
 * @param threads for calls that wait for the gateway
 * @param wholeFrames whether the editor asked for complete frames
 */
record AcpContext(AcpGateway gateway, EditorRpc rpc, Executor threads, boolean wholeFrames) {}

package brig.acp;

import brig.captain.CaptainGateway;
import java.util.concurrent.Executor;

/**
 * Shared by all sessions of an editor.
 *
 * @param threads for calls that wait for the gateway
 * @param wholeFrames whether the editor asked for complete frames
 */
record AcpContext(CaptainGateway gateway, EditorRpc rpc, Executor threads, boolean wholeFrames) {}

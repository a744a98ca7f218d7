package brig.gateway.worker;

import brig.protocol.control.ControlRequest;
import brig.protocol.json.JsonObject;
import java.util.concurrent.CompletionStage;

/** A worker-agent at the other end of a link of this gateway. */
public interface LinkedAgent extends NetworkAgent {
    /** Asks what another gateway wants to know, and does not look into the answer. */
    CompletionStage<JsonObject> pass(ControlRequest request);

    /** Ends the link for good; the connections of workers are closed by their owners. */
    void close();
}

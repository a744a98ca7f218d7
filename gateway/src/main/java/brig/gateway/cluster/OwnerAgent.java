package brig.gateway.cluster;

import brig.gateway.stream.StreamLog;
import brig.gateway.worker.RequestingAgent;
import brig.gateway.worker.Transfer;
import brig.gateway.worker.WorkerStream;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.CallerTerminal;
import brig.protocol.control.ControlRequest;
import brig.protocol.wire.FrameDecoder;
import io.netty.channel.Channel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The worker-agent of a host that another gateway owns, reached by way of that gateway. Connections go to the owner itself. */
final class OwnerAgent extends RequestingAgent {
    private static final int AGAIN_SECONDS = 5;

    private final String host;
    private final Owners owners;
    private final Supplier<String> owner;

    /** @param owner the name of the gateway that owns it, for people */
    OwnerAgent(String host, Owners owners, Supplier<String> owner) {
        this.host = host;
        this.owners = owners;
        this.owner = owner;
    }

    @Override
    protected <A extends Record> CompletionStage<A> request(ControlRequest request, Class<A> type) {
        return ask(request, type);
    }

    @Override
    protected <A extends Record> CompletionStage<A> ask(ControlRequest request, Class<A> type) {
        return owners.ask(new Question.Control(host, request)).thenApply(answer -> answer.as(type));
    }

    private <T> CompletionStage<T> elsewhere(String what) {
        return CompletableFuture.failedFuture(refusal(what));
    }

    private BrigException refusal(String what) {
        return new BrigException(
                ErrorCode.HOST_UNREACHABLE,
                what + " of host " + host + " go by way of the gateway that owns it: " + owner.get(),
                AGAIN_SECONDS);
    }

    @Override
    public CompletionStage<Transfer> transfer() {
        return elsewhere("repositories");
    }

    @Override
    public CompletionStage<Channel> dial(String workerId, int port) {
        return elsewhere("ports of workers");
    }

    @Override
    public CompletionStage<Channel> shell(String workerId, CallerTerminal terminal) {
        return elsewhere("shells of workers");
    }

    @Override
    public WorkerStream open(String workerId, StreamLog log, FrameDecoder.Sink frames) {
        throw refusal("frames");
    }
}

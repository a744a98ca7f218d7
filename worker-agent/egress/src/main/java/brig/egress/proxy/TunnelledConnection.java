package brig.egress.proxy;

import brig.egress.request.RequestRecord;
import io.netty.channel.Channel;

/** A connection whose bytes pass unread: it ends when its host may not be reached any more. */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class TunnelledConnection implements WorkerEgress.Live {
    private final WorkerEgress worker;
    private final Channel channel;
    private final RequestRecord record;

    TunnelledConnection(WorkerEgress worker, Channel channel, RequestRecord record) {
        this.worker = worker;
        this.channel = channel;
        this.record = record;
    }

    @Override
    public void recheck() {
        if (!worker.policy().host(record.at().host(), record.at().port()).allowed()) {
            channel.close();
        }
    }

    @Override
    public Channel channel() {
        return channel;
    }
}

package brig.egress.filter;

import brig.egress.request.RequestRecord;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;
import java.util.function.Consumer;

/**
 * Counts the bytes in both directions for the audit and reports them at the end. It is the filter nearest to the
 * server.
 */
public final class AuditFilter implements ExchangeFilter {
    private final RequestRecord record;
    private final Consumer<RequestRecord> decided;

    /** @param decided receives the outcome of the request */
    public AuditFilter(RequestRecord record, Consumer<RequestRecord> decided) {
        this.record = record;
        this.decided = decided;
    }

    @Override
    public void handleSent(int bytes) {
        record.addRequestBytes(bytes);
    }

    @Override
    public void handleAnswer(HttpResponse answer) {
        record.answer(answer.status().code());
    }

    @Override
    public ByteBuf answerBody(ByteBuf piece, boolean last) {
        record.addResponseBytes(piece.readableBytes());
        return piece;
    }

    @Override
    public void handleEnd() {
        decided.accept(record);
    }
}

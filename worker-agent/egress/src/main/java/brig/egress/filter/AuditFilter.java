package brig.egress.filter;

import brig.egress.request.RequestRecord;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpResponse;
import java.util.function.Consumer;

/** Counts for the audit what went to and fro, and hands it over at the end. The nearest to the server. */
public final class AuditFilter implements ExchangeFilter {
    private final RequestRecord record;
    private final Consumer<RequestRecord> decided;

    /** @param decided takes what became of the request */
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

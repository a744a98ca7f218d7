package brig.egress.filter;

import brig.egress.secret.Secrets;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import java.util.List;

/** A chain of filters, from client to server. Requests pass them in order, answers in reverse. */
public final class FilterChain implements ExchangeFilter {
    private final List<ExchangeFilter> filters;

    public FilterChain(List<ExchangeFilter> filters) {
        this.filters = List.copyOf(filters);
    }

    @Override
    public String target(String pathAndQuery) {
        String target = pathAndQuery;
        for (ExchangeFilter filter : filters) {
            target = filter.target(target);
        }
        return target;
    }

    @Override
    public String header(String name, String value) {
        String filtered = value;
        for (ExchangeFilter filter : filters) {
            filtered = filter.header(name, filtered);
        }
        return filtered;
    }

    @Override
    public void handleRequest(HttpRequest made) {
        filters.forEach(filter -> filter.handleRequest(made));
    }

    @Override
    public void handleSecrets(Secrets now, HttpRequest made) {
        filters.forEach(filter -> filter.handleSecrets(now, made));
    }

    @Override
    public boolean readsWholeBody() {
        return filters.stream().anyMatch(ExchangeFilter::readsWholeBody);
    }

    @Override
    public boolean changesBody() {
        return filters.stream().anyMatch(ExchangeFilter::changesBody);
    }

    @Override
    public ByteBuf body(ByteBuf piece, boolean last) {
        ByteBuf filtered = piece;
        for (ExchangeFilter filter : filters) {
            filtered = filter.body(filtered, last);
        }
        return filtered;
    }

    @Override
    public void handleOpened() {
        filters.forEach(ExchangeFilter::handleOpened);
    }

    @Override
    public void handleSent(int bytes) {
        filters.forEach(filter -> filter.handleSent(bytes));
    }

    @Override
    public boolean changesAnswer() {
        return filters.stream().anyMatch(ExchangeFilter::changesAnswer);
    }

    @Override
    public void handleAnswer(HttpResponse answer) {
        filters.reversed().forEach(filter -> filter.handleAnswer(answer));
    }

    @Override
    public String answerHeader(String text) {
        String filtered = text;
        for (ExchangeFilter filter : filters.reversed()) {
            filtered = filter.answerHeader(filtered);
        }
        return filtered;
    }

    @Override
    public ByteBuf answerBody(ByteBuf piece, boolean last) {
        ByteBuf filtered = piece;
        for (ExchangeFilter filter : filters.reversed()) {
            filtered = filter.answerBody(filtered, last);
        }
        return filtered;
    }

    @Override
    public void handleEnd() {
        filters.forEach(ExchangeFilter::handleEnd);
    }
}

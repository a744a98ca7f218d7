package brig.egress.filter;

import brig.egress.request.RequestRecord;
import brig.protocol.egress.EgressEvent;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reports the token usage of a model request, from its answer.
 *
 * <p>Decision 0125.
 */
public final class UsageFilter implements ExchangeFilter {
    private final String route;
    private final HttpRequest request;
    private final SubAgents subAgents;
    private final RequestRecord record;
    private final UnaryOperator<String> scrub;
    private final Consumer<EgressEvent.Noted> told;
    private final UsageReader reader = new UsageReader();
    private @Nullable String subAgent;

    /**
     * @param route the name of the model route
     * @param request the client's request
     * @param subAgents the worker's sub-agents
     * @param scrub removes secrets from a text
     */
    public UsageFilter(
            String route,
            HttpRequest request,
            SubAgents subAgents,
            RequestRecord record,
            UnaryOperator<String> scrub,
            Consumer<EgressEvent.Noted> told) {
        this.route = route;
        this.request = request;
        this.subAgents = subAgents;
        this.record = record;
        this.scrub = scrub;
        this.told = told;
    }

    /** Forbids content encodings, as a compressed answer could not be read. */
    @Override
    public void handleRequest(HttpRequest made) {
        subAgents.meet(request);
        subAgent = subAgents.of(request);
        made.headers().set(HttpHeaderNames.ACCEPT_ENCODING, "identity");
    }

    @Override
    public void handleAnswer(HttpResponse answer) {
        reader.handleHead(answer);
    }

    @Override
    public ByteBuf answerBody(ByteBuf piece, boolean last) {
        reader.handleBytes(piece);
        return piece;
    }

    @Override
    public void handleEnd() {
        TokenCount tokens = reader.finish();
        if (!tokens.isEmpty()) {
            told.accept(new EgressEvent.Usage(
                    subAgent,
                    route,
                    scrub.apply(tokens.model()),
                    tokens.input(),
                    tokens.output(),
                    tokens.cachedInput(),
                    tokens.cacheWriteInput(),
                    record.status()));
        }
    }
}

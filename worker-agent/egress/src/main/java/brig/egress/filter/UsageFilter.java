package brig.egress.filter;

import brig.egress.price.Tokens;
import brig.egress.request.RequestRecord;
import brig.protocol.egress.EgressEvent;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports the token usage of a model request, from its answer.
 *
 * <p>Decision 0125.
 */
public final class UsageFilter implements ExchangeFilter {
    /** What an answer costs in US dollars; empty if the model has no price. */
    public interface Price {
        OptionalDouble of(String model, Tokens charged);
    }

    /**
     * What an answer said.
     *
     * @param charged null if it lacks a count
     * @param isFinal whether the counts are of the whole answer
     */
    public record Counted(EgressEvent.Usage usage, @Nullable Tokens charged, boolean isFinal) {}

    private final String route;
    private final HttpRequest request;
    private final SubAgents subAgents;
    private final RequestRecord record;
    private final Price price;
    private final Consumer<Counted> told;
    private final UsageReader reader = new UsageReader();
    private @Nullable String subAgent;

    /**
     * @param route the name of the model route
     * @param request the client's request
     * @param subAgents the worker's sub-agents
     */
    public UsageFilter(
            String route,
            HttpRequest request,
            SubAgents subAgents,
            RequestRecord record,
            Price price,
            Consumer<Counted> told) {
        this.route = route;
        this.request = request;
        this.subAgents = subAgents;
        this.record = record;
        this.price = price;
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

    private @Nullable Double cost(TokenCount tokens, @Nullable Tokens charged) {
        OptionalDouble cost = charged == null ? OptionalDouble.empty() : price.of(tokens.model(), charged);
        return cost.isPresent() ? cost.getAsDouble() : null;
    }

    @Override
    public void handleEnd() {
        TokenCount tokens = reader.finish();
        if (!tokens.isEmpty()) {
            Tokens charged = tokens.charged();
            EgressEvent.Usage usage = new EgressEvent.Usage(
                    subAgent,
                    route,
                    tokens.model(),
                    tokens.input(),
                    tokens.output(),
                    tokens.cachedInput(),
                    tokens.cacheWriteInput(),
                    record.status(),
                    cost(tokens, charged));
            told.accept(new Counted(usage, charged, tokens.isFinal()));
        }
    }
}

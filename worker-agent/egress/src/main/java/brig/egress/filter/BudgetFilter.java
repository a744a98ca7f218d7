package brig.egress.filter;

import brig.egress.budget.Amount;
import brig.egress.budget.ModelCall;
import brig.egress.budget.Money;
import brig.egress.budget.Purses;
import brig.egress.budget.SpentException;
import brig.egress.budget.WorkerBudget;
import brig.egress.price.Tokens;
import brig.egress.request.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Charges a request to a model to the budget of its worker: reserves the most that it can come to before any of it goes
 * out, and settles what the answer says. An answer that was cut off, or says nothing, comes to all that was reserved;
 * one of a provider's error to nothing. Stands after the {@link UsageFilter}, whose counts it gets.
 *
 * <p>Decision 0199.
 */
public final class BudgetFilter implements ExchangeFilter {
    /** What models cost at this place. */
    public interface Price extends UsageFilter.Price {
        /** The most that so many tokens cost. */
        OptionalDouble most(String model, long input, long output);
    }

    private static final Set<HttpMethod> WITHOUT_BODY =
            Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.DELETE, HttpMethod.OPTIONS);
    /** Ends of paths whose requests no provider charges. */
    private static final List<String> FREE = List.of("/count_tokens", "/input_tokens");

    private static final int ERROR_MIN = 300;

    private final HttpRequest request;
    private final boolean charged;
    private final ModelCall.Reader reader;
    private final WorkerBudget budget;
    private final Price price;
    private final ProviderError error;
    private @Nullable ModelCall call;
    private Purses.@Nullable Reservation reservation;
    private UsageFilter.@Nullable Counted counted;
    private boolean opened;
    private boolean complete;
    private int status;

    /** @param path without the query */
    public BudgetFilter(HttpRequest request, String path, ModelCall.Reader reader, WorkerBudget budget, Price price) {
        this.request = request;
        this.charged = isCharged(request, path);
        this.reader = reader;
        this.budget = budget;
        this.price = price;
        this.error = ProviderError.at(request, path);
    }

    /** Whether it asks a model for something. */
    public static boolean isCharged(HttpRequest request, String path) {
        return !WITHOUT_BODY.contains(request.method()) && FREE.stream().noneMatch(path::endsWith);
    }

    /** A connection whose messages are not read could be charged for nothing. */
    @Override
    public void handleRequest(HttpRequest made) {
        if (made.headers().contains(HttpHeaderNames.UPGRADE)) {
            throw refusal(426, "A session with a budget has no WebSockets to models: use HTTP.");
        }
        if (charged
                && !request.headers()
                        .get(HttpHeaderNames.CONTENT_ENCODING, "identity")
                        .equals("identity")) {
            throw refusal(400, "A session with a budget sends no compressed requests to models: Brig must read them.");
        }
    }

    @Override
    public boolean readsWholeBody() {
        return charged;
    }

    @Override
    public ByteBuf body(ByteBuf piece, boolean last) {
        if (charged) {
            reserve(piece);
        }
        return piece;
    }

    private void reserve(ByteBuf body) {
        ModelCall read = reader.read(
                ByteBufUtil.getBytes(body, body.readerIndex(), body.readableBytes(), false), budget.calls());
        if (read == null) {
            throw refusal(
                    400,
                    "A session with a budget sends only requests whose cost is bounded: JSON that names a model once,"
                            + " as Anthropic's messages and OpenAI's chat completions and responses do.");
        }
        OptionalDouble most = price.most(read.model(), read.inputTokens(), read.outputTokens());
        if (most.isEmpty() && budget.chargesMoney()) {
            throw refusal(
                    400,
                    "The model '" + read.model() + "' has no price, so a budget of money cannot be kept. Do not try"
                            + " again: the operator can name its price in the settings (worker.budget.prices), or give a budget"
                            + " of tokens.");
        }
        Amount amount = new Amount(
                most.isEmpty() ? 0 : Money.nanosUp(most.getAsDouble()), read.inputTokens() + read.outputTokens(), 0);
        try {
            reservation = budget.reserve(amount);
            call = read;
        } catch (SpentException e) {
            throw refusal(400, budget.sentence(e, amount));
        }
    }

    private Refusal.RefusedException refusal(int code, String sentence) {
        return new Refusal(code, sentence, "", error.document(sentence), 0).asException();
    }

    /** The counts of the answer. */
    public void handleCounted(UsageFilter.Counted counts) {
        counted = counts;
    }

    @Override
    public void handleOpened() {
        opened = true;
    }

    @Override
    public void handleAnswer(HttpResponse answer) {
        status = answer.status().code();
    }

    @Override
    public ByteBuf answerBody(ByteBuf piece, boolean last) {
        complete |= last;
        return piece;
    }

    @Override
    public void handleEnd() {
        Purses.Reservation open = reservation;
        if (open != null) {
            reservation = null;
            open.settle(real(open.amount()));
        }
    }

    private Amount real(Amount reserved) {
        UsageFilter.Counted said = counted;
        Tokens tokens = said == null ? null : said.charged();
        if (said != null && tokens != null && said.isFinal() && complete) {
            return new Amount(nanos(said, tokens, reserved), tokens.input() + tokens.output(), 0);
        }
        boolean isFree = !opened || (complete && status >= ERROR_MIN);
        return isFree ? Amount.NONE : reserved;
    }

    /** The model's name in the answer may be one without a price. */
    private long nanos(UsageFilter.Counted said, Tokens tokens, Amount reserved) {
        Double cost = said.usage().cost();
        if (cost != null) {
            return Money.nanos(cost);
        }
        OptionalDouble asAsked = call == null ? OptionalDouble.empty() : price.of(call.model(), tokens);
        return asAsked.isPresent() ? Money.nanos(asAsked.getAsDouble()) : reserved.nanos();
    }
}

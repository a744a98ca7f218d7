package brig.egress.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.budget.Money;
import brig.egress.price.Prices;
import brig.egress.price.Tokens;
import brig.protocol.json.Json;
import brig.protocol.record.Foreign;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Answers of ten APIs, with what the calculator of genai-prices 0.1.8 (MIT) makes of them: on both sides of each change of
 * a price and of each step by length. Null: it knows no price, or finds that the counts contradict each other. {@code
 * src/build/priced.mjs} makes the file.
 */
class PricedAnswersTest {
    @Foreign
    record Priced(String url, String at, @Nullable Double usd, ModelAnswer answer) {}

    @Test
    void shouldCostWhatTheCalculatorOfThePricesSays() throws IOException {
        Prices prices = Prices.shipped();
        List<String> lines;
        try (InputStream in = Objects.requireNonNull(PricedAnswersTest.class.getResourceAsStream("priced.jsonl"))) {
            lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
        assertTrue(lines.size() > 250);
        for (String line : lines) {
            Priced priced = Json.read(line.getBytes(StandardCharsets.UTF_8), Priced.class);
            TokenCount count = TokenCount.NONE.with(priced.answer());
            Tokens charged = Objects.requireNonNull(count.charged(), line);
            OptionalDouble cost = prices.cost(priced.url(), count.model(), Instant.parse(priced.at()), charged);
            assertEquals(priced.usd() != null, cost.isPresent(), line);
            double usd = priced.usd() == null ? 0 : priced.usd();
            assertEquals(usd, cost.orElse(0), 1e-9, line);
            assertEquals(usd, Money.nanos(cost.orElse(0)) / 1e9, 1e-9, "as a purse counts it: " + line);
        }
    }
}

package brig.egress.price;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import brig.protocol.BrigException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PricesTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");
    private static final String OWN = """
            {"date": "2026-11-26", "from": "us", "providers": [
              {"id": "home", "api": "https://models\\\\.example/", "models": [
                {"id": "m", "match": {"equals": "M"}, "periods": [
                  {"usd": {"input": [{"price": 1}], "output": [{"price": 2}]}},
                  {"since": "2026-11-26", "usd": {"input": [{"price": 3}, {"above": 1000, "price": 4}], "output": [{"price": 5}]}},
                  {"from": "22:00:00Z", "to": "02:00:00Z", "usd": {"input": [{"price": 0.5}]}}]}]}]}
            """;

    private static Prices prices(String file) {
        return Prices.read(file.getBytes(StandardCharsets.UTF_8));
    }

    private static Tokens tokens(long input, long output) {
        return new Tokens(input, 0, 0, 0, output, 0, 0);
    }

    private static double cost(Instant at, long input) {
        return prices(OWN)
                .cost("https://models.example/v1", "m", at, tokens(input, 0))
                .orElseThrow();
    }

    @Test
    void shouldTakeThePriceOfTheDayTheTimeAndTheLength() {
        assertEquals(1e-3, cost(NOW.minusSeconds(86_400), 1000), 1e-12);
        assertEquals(3e-3, cost(NOW, 1000), 1e-12);
        assertEquals(4.004e-3, cost(NOW, 1001), 1e-12, "the whole answer costs more above a step");
        assertEquals(0.5e-3, cost(Instant.parse("2026-11-26T23:59:59Z"), 1000), 1e-12);
        assertEquals(0.5e-3, cost(Instant.parse("2026-11-26T01:59:59Z"), 1000), 1e-12);
    }

    @Test
    void shouldKnowNoPriceOfWhatIsNotThere() {
        Prices own = prices(OWN);
        OptionalDouble none = OptionalDouble.empty();
        assertEquals(none, own.cost("https://models.example/v1", "n", NOW, tokens(1, 1)));
        assertEquals(none, own.cost("https://models.example.net/v1", "m", NOW, tokens(1, 1)));
        assertEquals(none, own.cost("", "", NOW, tokens(1, 1)));
        Prices shipped = Prices.shipped();
        assertEquals(none, shipped.cost("https://api.openai.com/v1", "gpt-5.6-codex", NOW, tokens(1, 1)));
        assertEquals(
                none,
                shipped.cost("https://api.anthropic.com/", "claude-opus-5-5", NOW, new Tokens(1, 2, 0, 0, 0, 0, 0)),
                "a part is more than the whole");
    }

    @Test
    void shouldKnowAModelBehindAnotherAddressByItsMaker() {
        Prices shipped = Prices.shipped();
        assertEquals(
                shipped.cost("https://api.anthropic.com/v1", "claude-opus-5-5", NOW, tokens(1000, 10)),
                shipped.cost("https://gateway.example/llm", " Claude-Opus-5-5 ", NOW, tokens(1000, 10)));
    }

    private static Prices own(String provider, String api, String model, double price) {
        return Prices.read(
                ("{\"date\":\"2026-11-26\",\"from\":\"us\",\"providers\":[{\"id\":\"" + provider + "\",\"api\":\"" + api
                                + "\",\"models\":[{\"id\":\"m\",\"match\":{\"equals\":\"" + model
                                + "\"},\"periods\":[{\"usd\":{\"input\":[{\"price\":" + price + "}]}}]}]}]}")
                        .getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    @Test
    void shouldTakeAnOperatorsPricesFirst() {
        Tokens million = new Tokens(1_000_000, 0, 0, 0, 0, 0, 0);
        Instant now = Instant.parse("2026-11-26T00:00:00Z");
        Prices shipped = Prices.shipped();
        Prices replaced = shipped.behind(own("anthropic", "unused", "claude-opus-5.5", 7));
        assertEquals(
                7,
                replaced.cost("https://api.anthropic.com/v1/messages", "claude-opus-5.5", now, million)
                        .orElseThrow());
        assertEquals(
                shipped.cost("https://api.anthropic.com/v1/messages", "claude-sonnet-5", now, million),
                replaced.cost("https://api.anthropic.com/v1/messages", "claude-sonnet-5", now, million));
        Prices added = shipped.behind(own("ours", "https://llm[.]corp", "qwen-ours", 3));
        assertEquals(
                3,
                added.cost("https://llm.corp/v1/responses", "qwen-ours", now, million)
                        .orElseThrow());
        assertEquals(OptionalDouble.empty(), shipped.cost("https://llm.corp/v1/responses", "qwen-ours", now, million));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "{\"date\":\"d\",\"from\":\"f\",\"providers\":[{\"id\":\"a\",\"api\":\"(\",\"models\":[]}]}",
                "{\"date\":\"d\",\"from\":\"f\",\"providers\":[{\"id\":\"a\",\"api\":\"a\",\"models\":[{\"id\":\"m\",\"match\":{},\"periods\":[]}]}]}",
                "{\"date\":\"d\",\"from\":\"f\",\"providers\":[{\"id\":\"a\",\"api\":\"a\",\"models\":[{\"id\":\"m\",\"match\":{},\"periods\":[{\"usd\":"
                        + "{\"input\":[{\"price\":-1}]}}]}]}]}",
                "{\"date\":\"d\",\"from\":\"f\",\"providers\":[{\"id\":\"a\",\"api\":\"a\",\"models\":[{\"id\":\"m\",\"match\":{},\"periods\":[{\"since\":\"soon\","
                        + "\"usd\":{}}]}]}]}"
            })
    void shouldRefuseAFileThatIsNoListOfPrices(String file) {
        assertThrows(BrigException.class, () -> prices(file));
    }
}

package brig.protocol.spawn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Splits;
import brig.protocol.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BudgetTest {
    private static final String FIELD = "--budget";

    private static Budget parse(String text) {
        return Budget.parse(FIELD, text);
    }

    private static Budget read(String json) {
        return Json.read(Splits.utf8(json), Budget.class);
    }

    @Test
    void shouldReadPartsInAnyOrder() {
        assertEquals(
                new Budget(5.25, 1_000_000L, 1_200_000L, 1_500_000_000L, 0L, Budget.OnLimit.ASK),
                parse("ask, 0spawns,1.5GB , 20min,1000000tokens,5.25usd"));
        assertEquals(new Budget(null, null, 1_500L, null, null, null), parse("1.5s"));
        assertEquals(new Budget(null, null, Budget.WALL_MS_MAX, null, null, null), parse("8760h"));
        assertEquals(new Budget(1e-9, null, null, null, null, Budget.OnLimit.END), parse("0.000000001usd,end"));
        assertEquals(1L, parse("0.000000001usd").nanos());
        assertEquals(1_000_000_000_000_000L, parse("1000000usd").nanos());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "5usd,",
                "5",
                "usd",
                "5 usd",
                "-5usd",
                "+5usd",
                "5e3usd",
                "0x5usd",
                "NaNusd",
                "Infinityusd",
                "٥usd",
                "5.usd",
                ".5usd",
                "5usd;ask",
                "5dollars",
                "1234567890123456usd",
                "1.0000000001usd",
                "0usd",
                "0.0usd",
                "1000001usd",
                "0tokens",
                "1.5tokens",
                "999999999999999.5tokens",
                "999ms",
                "0.9s",
                "1.0001s",
                "8761h",
                "999999999999999h",
                "0bytes",
                "0.5bytes",
                "999999999999999gb",
                "100001spawns",
                "1.5spawns",
                "5usd,6usd",
                "5usd,6USD",
                "20min,1h",
                "1mb,1gb",
                "ask,end",
                "ASK",
                "ask\0",
                "5usd\nend"
            })
    void shouldRefuseWhatIsNoBudget(String text) {
        BrigException refusal = assertThrows(BrigException.class, () -> parse(text));
        assertEquals(ErrorCode.INVALID_FIELD, refusal.code());
    }

    @Test
    void shouldRefuseAnyNumberOfParts() {
        assertThrows(BrigException.class, () -> parse("5usd,".repeat(50_000)));
        assertThrows(BrigException.class, () -> parse("9".repeat(100_000) + "usd"));
        assertThrows(BrigException.class, () -> parse("1" + "u".repeat(100_000)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "\"5usd\"",
                "5",
                "{\"usd\":\"5\"}",
                "{\"usd\":0}",
                "{\"usd\":-1}",
                "{\"usd\":1e999}",
                "{\"usd\":1e-400}",
                "{\"usd\":0.0000000001}",
                "{\"usd\":1000000.1}",
                "{\"usd\":true}",
                "{\"usd\":[5]}",
                "{\"usd\":NaN}",
                "{\"tokens\":0}",
                "{\"tokens\":-1}",
                "{\"tokens\":1.5}",
                "{\"tokens\":\"5\"}",
                "{\"tokens\":9223372036854775808}",
                "{\"tokens\":1000000000000001}",
                "{\"wall_ms\":999}",
                "{\"wall_ms\":31536000001}",
                "{\"egress_bytes\":0}",
                "{\"spawns\":-1}",
                "{\"spawns\":100001}",
                "{\"on_limit\":\"cancel\"}",
                "{\"on_limit\":\"ASK\"}",
                "{\"on_limit\":1}",
                "{\"dollars\":5}",
                "{\"usd\":5,\"usd\":6}"
            })
    void shouldRefuseWhatIsNoBudgetInARequest(String json) {
        assertThrows(BrigException.class, () -> read(json));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            5usd,ask         | 3usd,end         | 3usd,ask
            5usd             | 3usd,end         | 3usd,end
            5usd             | 2min,0spawns     | 5usd,2min,0spawns
            1min,9mb,7tokens | 2min,8mb,9tokens | 1min,8mb,7tokens
            """)
    void shouldTakeTheSmallerOfEachLimit(String own, String other, String both) {
        assertEquals(parse(both), parse(own).within(parse(other)));
    }

    @Test
    void shouldKnowWhetherItLimitsAnything() {
        assertFalse(Budget.NONE.limits());
        assertFalse(parse("end").limits());
        assertTrue(parse("0spawns").limits());
        assertEquals(Budget.NONE, read("{}"));
    }
}

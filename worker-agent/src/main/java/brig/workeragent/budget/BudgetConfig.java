package brig.workeragent.budget;

import brig.egress.budget.CallBounds;
import brig.egress.budget.Limit;
import brig.egress.price.Prices;
import brig.protocol.BrigException;
import brig.protocol.Reason;
import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import brig.protocol.spawn.Budget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The section {@code worker.budget} of {@code config/brig.json}, where comments document each key. 0 is no limit.
 *
 * <p>Decision 0199.
 */
@Settings
public record BudgetConfig(
        double dayUsd,
        @Range(max = Budget.COUNT_MAX) long dayTokens,
        double captainDayUsd,
        @Range(max = Budget.COUNT_MAX) long captainDayTokens,

        @Range(min = 1, max = CallBounds.TOKENS_MAX) long outputTokensMax,

        @Range(min = 1, max = 64) int bytesPerToken,

        @Range(min = 1, max = CallBounds.TOKENS_MAX) long storedTokensMax,
        String prices) {
    private static final long PRICES_BYTES_MAX = 1024 * 1024;
    public static final BudgetConfig NONE = new BudgetConfig(0, 0, 0, 0, 32_000, 3, 200_000, "");

    public BudgetConfig {
        requireUsd("dayUsd", dayUsd);
        requireUsd("captainDayUsd", captainDayUsd);
        checkPrices(prices);
    }

    private static void checkPrices(String file) {
        try {
            String text = text(file);
            if (text != null) {
                var _ = Prices.read(text.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("prices: " + Reason.withFile(e));
        } catch (BrigException e) {
            throw new IllegalArgumentException("prices: " + file + ": " + e.getMessage());
        }
    }

    private static @Nullable String text(String file) throws IOException {
        if (file.isEmpty()) {
            return null;
        }
        Path path;
        try {
            path = Path.of(file);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("prices: is no name of a file");
        }
        // A device or a pipe has no end.
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new IllegalArgumentException("prices: " + file + " is no regular file");
        }
        if (Files.size(path) > PRICES_BYTES_MAX) {
            throw new IllegalArgumentException("prices: must have at most " + PRICES_BYTES_MAX + " bytes");
        }
        return Files.readString(path);
    }

    /** The operator's list of prices; null for none. */
    public @Nullable String pricesText() throws IOException {
        return text(prices);
    }

    private static void requireUsd(String key, double usd) {
        if (!(usd >= 0 && usd <= Budget.USD_MAX)) {
            throw new IllegalArgumentException(key + ": must be from 0 to " + (long) Budget.USD_MAX);
        }
    }

    /** What counts as the most that a request to a model can come to. */
    public CallBounds calls() {
        return new CallBounds(outputTokensMax, bytesPerToken, storedTokensMax);
    }

    Limit day() {
        return limit(dayUsd, dayTokens);
    }

    Limit captainDay() {
        return limit(captainDayUsd, captainDayTokens);
    }

    private static Limit limit(double usd, long tokens) {
        return of(new Budget(usd == 0 ? null : usd, tokens == 0 ? null : tokens, null, null, null, null));
    }

    static Limit of(Budget budget) {
        @Nullable Long nanos = budget.nanos();
        return new Limit(nanos, budget.tokens(), budget.egressBytes());
    }
}

package brig.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorCodeTest {
    @Test
    void shouldHaveACloseCodeOfItsOwn() {
        Set<Integer> codes = new HashSet<>();
        for (ErrorCode code : ErrorCode.values()) {
            assertTrue(codes.add(code.closeCode()), code + " shares its close code");
        }
    }

    /** A client that knows nothing but the two bands must do the right thing. */
    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void shouldCloseInTheBandOfItsAction(ErrorCode code) {
        boolean again = switch (code.action()) {
            case RECONNECT, RETRY_LATER -> true;
            case FIX_REQUEST, AUTHENTICATE, STOP, OPERATOR -> false;
        };
        int lowest = again ? 4000 : 4500;
        assertTrue(code.closeCode() >= lowest && code.closeCode() <= lowest + 499, code + " " + code.closeCode());
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void shouldHaveAnHttpStatusThatBlamesTheRightSide(ErrorCode code) {
        int status = code.httpStatus();
        assertTrue(status >= 400 && status <= 599, code + " " + status);
        if (code.action() == ErrorCode.Action.FIX_REQUEST || code.action() == ErrorCode.Action.AUTHENTICATE) {
            assertTrue(status < 500, code + " is the client's fault");
        }
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void shouldAlwaysHintWhenTheSameMaySucceedLater(ErrorCode code) {
        assertEquals(
                code.isRetryable(),
                new BrigException(code, "later").retryAfterSeconds().isPresent());
        assertEquals(code.isRetryable(), code.closeCode() < 4500);
    }

    @Test
    void shouldCarryARetryHintOnlyWhenThereIsOne() {
        assertEquals(OptionalInt.of(3), new BrigException(ErrorCode.COOLDOWN, "wait", 3).retryAfterSeconds());
        assertEquals(OptionalInt.empty(), new BrigException(ErrorCode.NOT_FOUND, "no").retryAfterSeconds());
        assertEquals(0, new BrigException(ErrorCode.COOLDOWN, "wait").getStackTrace().length);
    }
}

package brig.egress.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets in texts and streams, split anywhere. */
class StreamFilterTest {
    private static final String VALUE = "real/value\"1";
    private static final String OTHER = "another-value";
    private final Map<String, String> placeholders = Placeholder.forEach(Set.of("A", "B", "NONE"));
    private final Secrets secrets = new Secrets(placeholders, Map.of("A", VALUE, "B", OTHER), Map.of());

    private String of(String name) {
        return placeholders.get(name);
    }

    private Injection to(String... allowed) {
        return new Injection(secrets, name -> Arrays.asList(allowed).contains(name), name -> false);
    }

    private static String run(StreamFilter filter, byte[]... pieces) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] piece : pieces) {
            out.writeBytes(filter.feed(piece));
        }
        out.writeBytes(filter.finish());
        return out.toString(UTF_8);
    }

    /** Checks every split in two, and byte by byte. */
    private static void checkSplits(Supplier<StreamFilter> filter, String text, String expected) {
        byte[] bytes = text.getBytes(UTF_8);
        for (int at = 0; at <= bytes.length; at++) {
            assertEquals(
                    expected,
                    run(filter.get(), Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, at, bytes.length)),
                    "cut at " + at);
        }
        byte[][] single = new byte[bytes.length][];
        for (int i = 0; i < bytes.length; i++) {
            single[i] = new byte[] {bytes[i]};
        }
        assertEquals(expected, run(filter.get(), single));
    }

    @Test
    void shouldPutValuesInWherever() {
        checkSplits(
                () -> to("A", "B").body(),
                "x=" + of("A") + "&y=" + of("B") + of("A"),
                "x=" + VALUE + "&y=" + OTHER + VALUE);
    }

    @Test
    void shouldTakeValuesOutWherever() {
        String text = "a " + VALUE + VALUE + " b real%2Fvalue%221 c {\"k\":\"real/value\\\"1\"} real\\/value\\\"1 "
                + OTHER + " d";
        String a = of("A");
        checkSplits(
                () -> secrets.scrubber(List.of()),
                text,
                "a " + a + a + " b " + a + " c {\"k\":\"" + a + "\"} " + a + " " + of("B") + " d");
    }

    /** Scenario: a server returns the value in common encodings, with any bytes around it. */
    @Test
    void shouldTakeEachFormOutWhateverStandsBesideIt() {
        byte[] value = VALUE.getBytes(UTF_8);
        String hex = HexFormat.of().formatHex(value);
        List<String> forms = List.of(
                hex,
                hex.toUpperCase(Locale.ROOT),
                VALUE.toUpperCase(Locale.ROOT),
                "1\"eulav/laer",
                "real%2fvalue%221",
                "%" + HexFormat.ofDelimiter("%").formatHex(value),
                "%" + HexFormat.ofDelimiter("%").withUpperCase().formatHex(value));
        for (String form : forms) {
            checkSplits(() -> secrets.scrubber(List.of()), "<" + form + ">", "<" + of("A") + ">");
        }
        for (Base64.Encoder encoder : List.of(Base64.getEncoder(), Base64.getUrlEncoder())) {
            for (String before : List.of("", "?", "~~", "Bearer ")) {
                for (String behind : List.of("", "?", "~~")) {
                    byte[] text = (before + VALUE + behind).getBytes(UTF_8);
                    String scrubbed = run(secrets.scrubber(List.of()), encoder.encode(text));
                    assertTrue(scrubbed.contains(of("A")), before + "|" + behind);
                    // Of the bytes at both ends at most some bits remain.
                    assertTrue(
                            scrubbed.replace(of("A"), "").length()
                                    <= encoder.encode((before + "12" + behind + "12").getBytes(UTF_8)).length,
                            scrubbed);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "BRIG",
                "BRIG_SECRET_",
                "BRIG_SECRET_xyz",
                "BRIG_SECRET_0123",
                "BRIG_SECRET_BRIG_SECRET_",
                "real/valu",
                "BRIG_SECRET_${NAME}",
                "BBBRIG_SECRETBRIG_SECRET_0"
            })
    void shouldLeaveAloneWhatOnlyBeginsLikeOne(String text) {
        checkSplits(() -> to("A").body(), text, text);
        checkSplits(() -> secrets.scrubber(List.of()), text, text);
    }

    @Test
    void shouldPassOnAtOnceWhatCannotBeTheBeginningOfOne() {
        StreamFilter filter = secrets.scrubber(List.of());
        assertEquals("data: tokens\n\n", new String(filter.feed("data: tokens\n\n".getBytes(UTF_8)), UTF_8));
        assertEquals("x", new String(filter.feed("xrea".getBytes(UTF_8)), UTF_8));
        assertEquals("real", new String(filter.feed("l".getBytes(UTF_8)), UTF_8) + new String(filter.finish(), UTF_8));
    }

    @Test
    void shouldPreferTheLongerWhenOneValueBeginsAnother() {
        Map<String, String> names = Placeholder.forEach(Set.of("S", "L"));
        Secrets both = new Secrets(names, Map.of("S", "12345678", "L", "12345678ABCD"), Map.of());
        checkSplits(
                () -> both.scrubber(List.of()),
                "<12345678ABCD><12345678><12345678AB>",
                "<" + names.get("L") + "><" + names.get("S") + "><" + names.get("S") + "AB>");
    }

    @Test
    void shouldRefuseInEveryCutWhenAPlaceholderGoesElsewhere() {
        for (String text :
                List.of("x" + of("B") + "y", "x" + OTHER, "BRIG_SECRET_" + "0".repeat(48), "x" + of("NONE"))) {
            byte[] bytes = text.getBytes(UTF_8);
            for (int at = 0; at <= bytes.length; at++) {
                int cut = at;
                SecretRefusedException refusal = assertThrows(
                        SecretRefusedException.class,
                        () -> run(
                                to("A", "NONE").body(),
                                Arrays.copyOf(bytes, cut),
                                Arrays.copyOfRange(bytes, cut, bytes.length)),
                        text + " cut at " + at);
                assertTrue(!refusal.why().contains(OTHER) && !refusal.why().contains(VALUE));
            }
        }
    }

    @Test
    void shouldFindWhatASimpleReplacementFindsWhenItIsRandom() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            StringBuilder text = new StringBuilder();
            StringBuilder expected = new StringBuilder();
            for (int j = random.nextInt(8); j >= 0; j--) {
                switch (random.nextInt(3)) {
                    case 0 -> {
                        text.append(of("A"));
                        expected.append(VALUE);
                    }
                    case 1 -> {
                        String part = of("A").substring(0, random.nextInt(59)) + "!";
                        text.append(part);
                        expected.append(part);
                    }
                    default -> {
                        text.append("-é-");
                        expected.append("-é-");
                    }
                }
            }
            byte[] bytes = text.toString().getBytes(UTF_8);
            int one = random.nextInt(bytes.length + 1);
            int two = one + random.nextInt(bytes.length - one + 1);
            assertEquals(
                    expected.toString(),
                    run(
                            to("A").body(),
                            Arrays.copyOf(bytes, one),
                            Arrays.copyOfRange(bytes, one, two),
                            Arrays.copyOfRange(bytes, two, bytes.length)),
                    "seed " + seed);
        }
    }

    @Test
    void shouldDecodeAndEncodeBasicCredentials() {
        Injection injection = to("A");
        String sent = Base64.getEncoder().encodeToString(("user:" + of("A")).getBytes(UTF_8));
        String real = Base64.getEncoder().encodeToString(("user:" + VALUE).getBytes(UTF_8));
        assertEquals("Basic " + real, injection.header("Basic " + sent));
        assertEquals("basic " + real, injection.header("basic " + sent));
        assertEquals(Set.of("A"), injection.used());
        assertEquals("echo " + sent, new String(injection.scrubber().whole(("echo " + real).getBytes(UTF_8)), UTF_8));
        assertEquals("Basic !!!", injection.header("Basic !!!"));
        assertEquals("Bearer " + VALUE, injection.header("Bearer " + of("A")));
        String foreign = Base64.getEncoder().encodeToString(("user:" + of("B")).getBytes(UTF_8));
        assertThrows(SecretRefusedException.class, () -> injection.header("Basic " + foreign));
    }

    @Test
    void shouldPutValuesIntoQueriesOnlyWhenAsked() {
        Predicate<String> asked = name -> true;
        assertEquals("/p?k=real%2Fvalue%221&x=1", to("A").target("/p?k=" + of("A") + "&x=1", asked));
        assertThrows(SecretRefusedException.class, () -> to("A").target("/p?k=" + of("A"), name -> false));
        assertThrows(SecretRefusedException.class, () -> to("A").target("/p/" + of("A"), asked));
        assertThrows(SecretRefusedException.class, () -> to("A").target("/p?k=" + of("B"), asked));
    }

    @Test
    void shouldRefuseWithoutTlsWhenTheSecretNeedsIt() {
        Injection plain = new Injection(secrets, name -> true, name -> name.equals("A"));
        assertThrows(SecretRefusedException.class, () -> plain.header(of("A")));
        assertEquals(OTHER, plain.header(of("B")));
    }
}

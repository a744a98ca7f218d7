package brig.egress.secret;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The encodings in which a value may appear in a text: those that programs commonly produce, or that one request to a
 * common service yields. A server asked to do so can produce others.
 */
final class SecretForms {
    private static final int BITS_OF_BYTE = 8;
    private static final int BITS_OF_DIGIT = 6;
    private static final int GROUP_BYTES = 3;

    private SecretForms() {}

    static Set<String> of(String value) {
        byte[] bytes = value.getBytes(UTF_8);
        Set<String> forms = new LinkedHashSet<>(List.of(value));
        addPercent(forms, value, bytes);
        String quoted = value.replace("\\", "\\\\").replace("\"", "\\\"");
        forms.add(quoted);
        forms.add(quoted.replace("/", "\\/"));
        forms.add(value.toUpperCase(Locale.ROOT));
        forms.add(value.toLowerCase(Locale.ROOT));
        forms.add(new StringBuilder(value).reverse().toString());
        forms.add(HexFormat.of().formatHex(bytes));
        forms.add(HexFormat.of().withUpperCase().formatHex(bytes));
        for (int before = 0; before < GROUP_BYTES; before++) {
            forms.add(base64(Base64.getEncoder(), bytes, before));
            forms.add(base64(Base64.getUrlEncoder(), bytes, before));
        }
        return forms;
    }

    private static void addPercent(Set<String> forms, String value, byte[] bytes) {
        String encoded = URLEncoder.encode(value, UTF_8);
        for (String form : List.of(encoded, encoded.replace("+", "%20"))) {
            forms.add(form);
            StringBuilder small = new StringBuilder(form);
            for (int at = small.indexOf("%"); at >= 0; at = small.indexOf("%", at + 1)) {
                small.replace(
                        at,
                        at + GROUP_BYTES,
                        small.substring(at, at + GROUP_BYTES).toLowerCase(Locale.ROOT));
            }
            forms.add(small.toString());
        }
        forms.add(HexFormat.ofDelimiter("").withPrefix("%").formatHex(bytes));
        forms.add(HexFormat.ofDelimiter("").withPrefix("%").withUpperCase().formatHex(bytes));
    }

    /**
     * The digits that do not depend on the neighbouring bytes.
     *
     * @param before the number of bytes before it in the same group of three
     */
    private static String base64(Base64.Encoder encoder, byte[] bytes, int before) {
        byte[] shifted = new byte[before + bytes.length];
        System.arraycopy(bytes, 0, shifted, before, bytes.length);
        int from = Math.ceilDiv(before * BITS_OF_BYTE, BITS_OF_DIGIT);
        int to = shifted.length * BITS_OF_BYTE / BITS_OF_DIGIT;
        return new String(encoder.encode(shifted), ISO_8859_1).substring(from, to);
    }
}

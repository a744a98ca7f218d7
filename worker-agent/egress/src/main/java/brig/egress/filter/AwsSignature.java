package brig.egress.filter;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.egress.secret.AwsCredentials;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signature Version 4 of AWS, as its reference has it ("Create a signed AWS API request"). */
final class AwsSignature {
    private static final String ALGORITHM = "AWS4-HMAC-SHA256";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final int DATE_LENGTH = 8;

    private final AwsCredentials credentials;
    private final String region;
    private final String service;

    AwsSignature(AwsCredentials credentials, String region, String service) {
        this.credentials = credentials;
        this.region = region;
        this.service = service;
    }

    static String time(Instant now) {
        return TIME.format(now);
    }

    static String hash(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The value of the header {@code authorization}.
     *
     * @param target path and query, as they are sent
     * @param headers those that are signed, in lower case: {@code host} and {@code x-amz-date} at least
     */
    String authorization(String method, String target, SortedMap<String, String> headers, String bodyHash) {
        String time = String.valueOf(headers.get("x-amz-date"));
        String scope = String.join("/", time.substring(0, DATE_LENGTH), region, service, "aws4_request");
        String names = String.join(";", headers.keySet());
        int query = target.indexOf('?');
        String canonical = String.join(
                "\n",
                method,
                path(query < 0 ? target : target.substring(0, query)),
                query < 0 ? "" : query(target.substring(query + 1)),
                headers.entrySet().stream()
                        .map(header -> header.getKey() + ":"
                                + header.getValue().strip().replaceAll(" +", " ") + "\n")
                        .collect(Collectors.joining()),
                names,
                bodyHash);
        String toSign = String.join("\n", ALGORITHM, time, scope, hash(canonical.getBytes(UTF_8)));
        byte[] key = ("AWS4" + credentials.secretAccessKey()).getBytes(UTF_8);
        for (String part : scope.split("/", -1)) {
            key = hmac(key, part);
        }
        return ALGORITHM + " Credential=" + credentials.accessKeyId() + "/" + scope + ", SignedHeaders=" + names
                + ", Signature=" + HexFormat.of().formatHex(hmac(key, toSign));
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Each segment is encoded once more than it is sent. */
    private static String path(String sent) {
        return Arrays.stream(sent.split("/", -1)).map(AwsSignature::encode).collect(Collectors.joining("/"));
    }

    /** Pairs are sorted by their names, and then by their values. */
    private static String query(String sent) {
        if (sent.isEmpty()) {
            return "";
        }
        return Arrays.stream(sent.split("&", -1))
                .map(pair -> {
                    int equals = pair.indexOf('=');
                    return new String[] {
                        anew(equals < 0 ? pair : pair.substring(0, equals)),
                        equals < 0 ? "" : anew(pair.substring(equals + 1))
                    };
                })
                .sorted(Arrays::compare)
                .map(pair -> pair[0] + "=" + pair[1])
                .collect(Collectors.joining("&"));
    }

    private static String anew(String sent) {
        return encode(URLDecoder.decode(sent.replace("+", "%2B"), UTF_8));
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }
}

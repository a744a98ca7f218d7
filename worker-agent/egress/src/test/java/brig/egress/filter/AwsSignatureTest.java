package brig.egress.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import brig.egress.secret.AwsCredentials;
import java.time.Instant;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The requests and signatures of AWS' own test suite for Signature Version 4. */
class AwsSignatureTest {
    private static final String UNRESERVED = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final Instant TIME = Instant.parse("2015-08-30T12:36:00Z");
    private static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

    private final AwsSignature signature =
            new AwsSignature(new AwsCredentials("AKIDEXAMPLE", SECRET, null), "us-east-1", "service");

    private static TreeMap<String, String> headers() {
        TreeMap<String, String> headers = new TreeMap<>();
        headers.put("host", "example.amazonaws.com");
        headers.put("x-amz-date", AwsSignature.time(TIME));
        return headers;
    }

    private void check(String expected, String method, String target, TreeMap<String, String> headers, String body) {
        assertEquals(
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders="
                        + String.join(";", headers.keySet()) + ", Signature=" + expected,
                signature.authorization(method, target, headers, AwsSignature.hash(body.getBytes(UTF_8))));
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /, 5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        "GET, /?Param-3=Value3&Param=Value2&%E1%88%B4=Value1, 371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac",
        "GET, /?Param2=value2&Param1=value1, b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        "GET, /?Param1=value1, a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb",
        "GET, /example space/, 652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
        "GET, /ሴ, 8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
        "GET, //example//, 87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5",
        "GET, /" + UNRESERVED + ", 07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
        "GET, /?" + UNRESERVED + "=" + UNRESERVED + ", 9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"
    })
    void shouldSignAsAwsDoes(String method, String target, String expected) {
        check(expected, method, target, headers(), "");
    }

    @Test
    void shouldSignHeadersAndBodiesAsAwsDoes() {
        TreeMap<String, String> token = headers();
        token.put("x-amz-security-token", "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267");
        check("07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8", "GET", "/", token, "");
        TreeMap<String, String> form = headers();
        form.put("content-length", "13");
        form.put("content-type", "application/x-www-form-urlencoded; charset=utf-8");
        form.put("x-amz-content-sha256", "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e");
        check("328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422", "POST", "/", form, "Param1=value1");
    }

    @Test
    void shouldReadCredentialsAsAwsProgramsWriteThem() {
        AwsCredentials read =
                AwsCredentials.read("{\"Version\":1,\"AccessKeyId\":\"AKIDEXAMPLE\",\"SecretAccessKey\":\"" + SECRET
                        + "\",\"SessionToken\":\"token-of-a-session\",\"Expiration\":\"2026-11-26T00:00:00Z\"}");
        assertNotNull(read);
        assertEquals(new AwsCredentials("AKIDEXAMPLE", SECRET, "token-of-a-session"), read);
        assertFalse(read.toString().contains(SECRET));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "AKIDEXAMPLE",
                "[]",
                "{\"AccessKeyId\":\"AKIDEXAMPLE\"}",
                "{\"AccessKeyId\":\"AKIDEXAMPLE\\r\\nX: y\",\"SecretAccessKey\":\"wJalrXUtnFEMI\"}",
                "{\"AccessKeyId\":\"AKIDEXAMPLE\",\"SecretAccessKey\":\"wJalrXUtnFEMI\",\"SessionToken\":\"a b\\n\"}",
                "{\"AccessKeyId\":1,\"SecretAccessKey\":[]}"
            })
    void shouldReadNothingElse(String value) {
        AwsCredentials read;
        try {
            read = AwsCredentials.read(value);
        } catch (brig.protocol.BrigException wrongType) {
            read = null;
        }
        assertNull(read);
    }
}

package brig.egress.filter;

import brig.egress.secret.AwsCredentials;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpRequest;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Signs a request to a model of AWS, with credentials that are nowhere in it. Nearer to the server than all filters that
 * change a request.
 *
 * <p>Decision 0202.
 */
public final class AwsFilter implements ExchangeFilter {
    private static final String SERVICE = "bedrock";
    private static final String DATE = "x-amz-date";
    private static final String TOKEN = "x-amz-security-token";
    private static final String HASH = "x-amz-content-sha256";
    /** What a signature of the agent's own would have. */
    private static final List<String> OF_A_SIGNATURE = List.of("authorization", DATE, TOKEN, HASH);

    private final String secret;
    private final AwsCredentials credentials;
    private final String region;
    private final Clock clock;
    private final Consumer<Set<String>> used;
    private @Nullable HttpRequest made;

    /**
     * @param secret the name of the credentials' secret
     * @param used receives that name when the request is sent
     */
    public AwsFilter(
            String secret, AwsCredentials credentials, String region, Clock clock, Consumer<Set<String>> used) {
        this.secret = secret;
        this.credentials = credentials;
        this.region = region;
        this.clock = clock;
        this.used = used;
    }

    @Override
    public void handleRequest(HttpRequest head) {
        made = head;
        OF_A_SIGNATURE.forEach(head.headers()::remove);
        sign(head, new byte[0]);
    }

    @Override
    public boolean readsWholeBody() {
        return true;
    }

    @Override
    public ByteBuf body(ByteBuf piece, boolean last) {
        if (made != null) {
            sign(made, ByteBufUtil.getBytes(piece, piece.readerIndex(), piece.readableBytes(), false));
        }
        return piece;
    }

    private void sign(HttpRequest head, byte[] body) {
        String hash = AwsSignature.hash(body);
        head.headers().set(DATE, AwsSignature.time(clock.instant()));
        head.headers().set(HASH, hash);
        if (credentials.sessionToken() != null) {
            head.headers().set(TOKEN, credentials.sessionToken());
        }
        SortedMap<String, String> signed = new TreeMap<>();
        for (String header : head.headers().names()) {
            String name = header.toLowerCase(Locale.ROOT);
            if (name.equals("host") || name.equals("content-type") || name.startsWith("x-amz-")) {
                signed.put(name, String.join(",", head.headers().getAll(header)));
            }
        }
        head.headers()
                .set(
                        "authorization",
                        new AwsSignature(credentials, region, SERVICE)
                                .authorization(head.method().name(), head.uri(), signed, hash));
    }

    @Override
    public void handleOpened() {
        used.accept(Set.of(secret));
    }
}

package brig.egress.secret;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Replaces placeholders by secrets in one request. The request is refused if it has a placeholder whose secret may not
 * go there, an unknown placeholder, or a secret's value.
 *
 * <p>Decision 0051.
 */
public final class Injection {
    private static final String BASIC = "basic ";

    private Secrets secrets;
    private final Predicate<String> goesThere;
    private final Predicate<String> needsTls;
    private final Set<String> used = new TreeSet<>();
    private final List<Scrubber.Pair> echoes = new ArrayList<>();

    /**
     * @param goesThere whether a secret may go to the request's host
     * @param needsTls whether a secret needs TLS that this connection lacks
     */
    public Injection(Secrets secrets, Predicate<String> goesThere, Predicate<String> needsTls) {
        this.secrets = secrets;
        this.goesThere = goesThere;
        this.needsTls = needsTls;
    }

    /** Names of the secrets that were put in. */
    public Set<String> used() {
        return used;
    }

    /** Uses other values from now on. */
    public void change(Secrets now) {
        secrets = now;
    }

    /** Replaces placeholders in a header value. @throws SecretRefusedException */
    public String header(String value) {
        String plain = replace(value);
        if (!value.toLowerCase(Locale.ROOT).startsWith(BASIC)) {
            return plain;
        }
        String credentials = decode(value.substring(BASIC.length()).strip());
        if (credentials == null) {
            return plain;
        }
        String real = replace(credentials);
        if (real.equals(credentials)) {
            return value;
        }
        String encoded = Base64.getEncoder().encodeToString(real.getBytes(UTF_8));
        // A server that echoes the header returns the value in this form, which no other pattern finds.
        echoes.add(new Scrubber.Pair(
                encoded.getBytes(ISO_8859_1),
                value.substring(BASIC.length()).strip().getBytes(ISO_8859_1)));
        return value.substring(0, BASIC.length()) + encoded;
    }

    private static @Nullable String decode(String base64) {
        try {
            return new String(Base64.getDecoder().decode(base64), UTF_8);
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }

    /** Replaces placeholders in the query, for secrets that {@code inQuery} accepts; never in the path. */
    public String target(String target, Predicate<String> inQuery) {
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        new Filter(name -> {
                    throw new SecretRefusedException("the placeholder of " + name + " is in the path");
                })
                .whole(path.getBytes(UTF_8));
        if (query < 0) {
            return target;
        }
        Filter filter = new Filter(name -> {
            if (!inQuery.test(name)) {
                throw new SecretRefusedException("the secret " + name + " may not be put into queries");
            }
        });
        filter.encoded = true;
        return path + new String(filter.whole(target.substring(query).getBytes(UTF_8)), UTF_8);
    }

    /** Refuses what {@link #header} would replace or refuse, in text that is forwarded unchanged. */
    public void refuseAny(String text) {
        new Filter(name -> {
                    throw new SecretRefusedException(
                            "the placeholder of " + name + " is in a place where no secret can be put in");
                })
                .whole(text.getBytes(UTF_8));
    }

    private String replace(String text) {
        return new String(new Filter(name -> {}).whole(text.getBytes(UTF_8)), UTF_8);
    }

    /** A filter for a body in pieces. It throws a {@link SecretRefusedException}. */
    public StreamFilter body() {
        return new Filter(name -> {});
    }

    /** A filter that removes the injected values from the answer. */
    public Scrubber scrubber() {
        return secrets.scrubber(echoes);
    }

    private interface Check {
        void found(String name);
    }

    private final class Filter extends StreamFilter {
        private final Check check;
        private final List<Secrets.Named> foreign;
        private boolean encoded;

        Filter(Check check) {
            this.check = check;
            this.foreign = secrets.known().stream()
                    .filter(named -> !goesThere.test(named.name()))
                    .toList();
            mayStartWith(Placeholder.PREFIX);
            foreign.forEach(named -> mayStartWith(named.pair().value()));
        }

        @Override
        int match(byte[] bytes, int at, int end, boolean last, ByteArrayOutputStream out) {
            boolean undecided = false;
            for (Secrets.Named named : foreign) {
                int length = compare(named.pair().value(), bytes, at, end);
                if (length > 0) {
                    throw new SecretRefusedException("it carries the value of " + named.name());
                }
                undecided |= length == UNDECIDED;
            }
            int prefix = compare(Placeholder.PREFIX, bytes, at, end);
            if (prefix > 0) {
                return placeholder(bytes, at, end, last, out);
            }
            return !last && (undecided || prefix == UNDECIDED) ? UNDECIDED : 0;
        }

        private int placeholder(byte[] bytes, int at, int end, boolean last, ByteArrayOutputStream out) {
            int to = Math.min(end, at + Placeholder.LENGTH);
            for (int i = at + Placeholder.PREFIX.length; i < to; i++) {
                if (!Placeholder.isDigit(bytes[i])) {
                    return 0;
                }
            }
            if (to < at + Placeholder.LENGTH) {
                return last ? 0 : UNDECIDED;
            }
            String value = valueOf(new String(bytes, at, Placeholder.LENGTH, UTF_8));
            out.writeBytes((encoded ? URLEncoder.encode(value, UTF_8).replace("+", "%20") : value).getBytes(UTF_8));
            return Placeholder.LENGTH;
        }

        private String valueOf(String placeholder) {
            Secrets.Entry entry = secrets.find(placeholder);
            if (entry == null) {
                throw new SecretRefusedException("it carries a placeholder of an unknown secret");
            }
            String name = entry.name();
            if (!goesThere.test(name)) {
                throw new SecretRefusedException("the secret " + name + " may not go to this host");
            }
            String value = entry.value();
            if (value == null) {
                throw new SecretRefusedException("the secret " + name + " has no value now");
            }
            if (needsTls.test(name)) {
                throw new SecretRefusedException("the secret " + name
                        + " travels over TLS only; allowPlaintext of the secret lets it go without"
                        + " (brig route set --allow-plaintext)");
            }
            check.found(name);
            used.add(name);
            return value;
        }
    }
}

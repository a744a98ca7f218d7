package brig.gateway.http;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The files of the watch page, compressed by the build into the jar. Their paths begin with a hash of all of them, so
 * browsers may cache them for ever. Loaded at the first request, at no cost to a gateway without the page. Owned by the
 * event loop.
 *
 * <p>Decision 0090.
 */
public final class PageFiles {
    public static final String ASSETS = "/assets/";
    private static final String ROOT = "/page/";
    private static final String INDEX = "index.html";

    /** No inline scripts or styles, no external resources, no framing. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            + "img-src 'self' data:; font-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

    private static final Map<String, String> TYPES = Map.of(
            "html",
            "text/html; charset=utf-8",
            "js",
            "text/javascript; charset=utf-8",
            "css",
            "text/css; charset=utf-8",
            "svg",
            "image/svg+xml",
            "json",
            "application/json");

    private final Map<String, Buffer> compressed = new HashMap<>();
    /** Names of files below {@code assets}; no other name is ever looked up, whatever the path says. */
    private @Nullable Set<String> names;

    private String version = "";

    public void index(Call call) {
        known();
        String tag = "\"" + version + "\"";
        HttpServerResponse response = call.response()
                .putHeader("Content-Security-Policy", POLICY)
                .putHeader("Cross-Origin-Opener-Policy", "same-origin")
                .putHeader("ETag", tag)
                .putHeader("Cache-Control", "no-cache");
        if (tag.equals(call.request().getHeader("If-None-Match"))) {
            response.setStatusCode(304).end();
            return;
        }
        send(call, INDEX);
    }

    public void asset(Call call) {
        String name = call.request().path().substring(ASSETS.length());
        if (!known().contains(name)) {
            throw new BrigException(ErrorCode.NOT_FOUND, "the page has no such file");
        }
        call.response().putHeader("Cache-Control", "public, max-age=31536000, immutable");
        send(call, "assets/" + name);
    }

    private void send(Call call, String file) {
        Buffer bytes = compressed.computeIfAbsent(file, PageFiles::read);
        HttpServerResponse response = call.response()
                .putHeader("Content-Type", TYPES.get(file.substring(file.lastIndexOf('.') + 1)))
                .putHeader("Vary", "Accept-Encoding")
                .putHeader("Cross-Origin-Resource-Policy", "same-origin")
                .putHeader("Referrer-Policy", "no-referrer");
        String accepted = call.request().getHeader("Accept-Encoding");
        if (accepted != null && accepted.contains("gzip")) {
            response.putHeader("Content-Encoding", "gzip").end(bytes);
        } else {
            response.end(inflated(bytes));
        }
    }

    private Set<String> known() {
        Set<String> read = names;
        if (read == null) {
            List<String> lines =
                    new String(bytes("files"), StandardCharsets.UTF_8).lines().toList();
            version = lines.getFirst();
            read = new HashSet<>(lines.subList(1, lines.size()));
            names = read;
        }
        return read;
    }

    private static Buffer read(String file) {
        return Buffer.buffer(bytes(file + ".gz"));
    }

    private static byte[] bytes(String file) {
        try (InputStream in = PageFiles.class.getResourceAsStream(ROOT + file)) {
            if (in == null) {
                throw new IllegalStateException("the build left out " + ROOT + file);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Buffer inflated(Buffer bytes) {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes.getBytes()))) {
            return Buffer.buffer(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

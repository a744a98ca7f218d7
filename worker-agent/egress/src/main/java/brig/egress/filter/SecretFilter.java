package brig.egress.filter;

import brig.egress.request.Refusal;
import brig.egress.secret.Injection;
import brig.egress.secret.Scrubber;
import brig.egress.secret.StreamFilter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Puts the values of secrets into a request, and takes them out of its answer. The nearest to the client. */
public final class SecretFilter implements ExchangeFilter {
    /**
     * What it does.
     *
     * @param rewrites whether the worker has secrets, so that the request is searched for placeholders
     * @param rewritesBody whether its body is as well
     * @param scrubs whether a value goes out, so that the answer may echo it
     * @param inQuery whether the secret of that name is put into queries
     */
    public record Scope(boolean rewrites, boolean rewritesBody, boolean scrubs, Predicate<String> inQuery) {}

    /** The header of a model route, and the placeholder of the secret in it. */
    public record Credential(String header, String placeholder) {}

    private static final int NOT_MODIFIED = 304;
    private static final String AUTHORIZATION = "authorization";

    private final Injection injection;
    private final Scope scope;
    private final @Nullable Credential credential;
    private final Consumer<Set<String>> used;
    private final @Nullable StreamFilter body;
    private @Nullable Scrubber scrubber;

    /**
     * @param credential what the proxy itself adds; null for nothing
     * @param used takes the names of the secrets that were put in, a set that may still grow
     */
    public SecretFilter(Injection injection, Scope scope, @Nullable Credential credential, Consumer<Set<String>> used) {
        this.injection = injection;
        this.scope = scope;
        this.credential = credential;
        this.used = used;
        this.body = scope.rewritesBody() ? injection.body() : null;
    }

    /** Whether its body is what it says, not packed. */
    public static boolean isIdentity(HttpMessage message) {
        List<String> encodings = message.headers().getAll(HttpHeaderNames.CONTENT_ENCODING);
        return encodings.stream()
                .map(String::strip)
                .allMatch(encoding -> encoding.isEmpty() || encoding.equalsIgnoreCase("identity"));
    }

    @Override
    public String target(String pathAndQuery) {
        return scope.rewrites() ? injection.target(pathAndQuery, scope.inQuery()) : pathAndQuery;
    }

    @Override
    public String header(String name, String value) {
        if (!scope.rewrites()) {
            return value;
        }
        injection.refuseAny(name);
        return injection.header(value);
    }

    @Override
    public void handleRequest(HttpRequest made) {
        if (scope.scrubs()) {
            made.headers().set(HttpHeaderNames.ACCEPT_ENCODING, "identity");
        }
        if (credential != null) {
            String value = injection.header(credential.placeholder());
            made.headers()
                    .set(credential.header(), credential.header().equals(AUTHORIZATION) ? "Bearer " + value : value);
        }
        if (scope.scrubs()) {
            scrubber = injection.scrubber();
        }
    }

    @Override
    public boolean changesBody() {
        return body != null;
    }

    @Override
    public ByteBuf body(ByteBuf piece, boolean last) {
        if (body == null) {
            return piece;
        }
        try {
            byte[] filtered = body.feed(ByteBufUtil.getBytes(piece));
            return last ? Unpooled.wrappedBuffer(filtered, body.finish()) : Unpooled.wrappedBuffer(filtered);
        } finally {
            piece.release();
        }
    }

    @Override
    public void handleOpened() {
        used.accept(injection.used());
    }

    @Override
    public boolean changesAnswer() {
        return scope.scrubs();
    }

    @Override
    public void handleAnswer(HttpResponse answer) {
        if (scope.scrubs() && !isIdentity(answer) && answer.status().code() != NOT_MODIFIED) {
            throw Refusal.unreachable("the server encoded its answer, in which secrets could not be found")
                    .asException();
        }
    }

    @Override
    public String answerHeader(String text) {
        return scrubber == null
                ? text
                : new String(scrubber.whole(text.getBytes(StandardCharsets.ISO_8859_1)), StandardCharsets.ISO_8859_1);
    }

    @Override
    public ByteBuf answerBody(ByteBuf piece, boolean last) {
        if (scrubber == null) {
            return piece;
        }
        try {
            byte[] clean = scrubber.feed(ByteBufUtil.getBytes(piece));
            return last ? Unpooled.wrappedBuffer(clean, scrubber.finish()) : Unpooled.wrappedBuffer(clean);
        } finally {
            piece.release();
        }
    }
}

package brig.egress.filter;

import brig.egress.request.Refusal;
import brig.egress.secret.Injection;
import brig.egress.secret.Scrubber;
import brig.egress.secret.Secrets;
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

/**
 * Replaces placeholders by secrets in a request, and secrets by placeholders in its answer. It is the filter nearest to
 * the client.
 */
public final class SecretFilter implements ExchangeFilter {
    /**
     * The scope of the filter.
     *
     * @param rewrites whether the worker has secrets, so that requests are searched for placeholders
     * @param rewritesBody whether the body is searched too
     * @param scrubs whether a value is sent, so that the answer may echo it
     * @param inQuery whether a secret may be put into queries
     */
    public record Scope(boolean rewrites, boolean rewritesBody, boolean scrubs, Predicate<String> inQuery) {}

    /** The header of a model route with its secret's placeholder. */
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
     * @param credential the header that the proxy adds; null for none
     * @param used receives the names of the secrets put in; the set may still grow
     */
    public SecretFilter(Injection injection, Scope scope, @Nullable Credential credential, Consumer<Set<String>> used) {
        this.injection = injection;
        this.scope = scope;
        this.credential = credential;
        this.used = used;
        this.body = scope.rewritesBody() ? injection.body() : null;
    }

    /** Whether its body has no content encoding. */
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
    public void handleSecrets(Secrets now, HttpRequest made) {
        injection.change(now);
        handleRequest(made);
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
            throw Refusal.unreachable("the server encoded its answer, so secrets in it cannot be found")
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

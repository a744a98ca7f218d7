package brig.gateway.api;

import brig.gateway.http.Call;
import brig.gateway.http.Caller;
import brig.gateway.http.Route;
import brig.gateway.http.Who;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.json.TextBinding;
import io.vertx.core.http.HttpMethod;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One operation: its request, its answer, its interfaces and permissions. The HTTP routes, the actions of the spawner
 * socket and the tests of their documents are derived from {@link Operations}.
 *
 * <p>Decisions 0032, 0148.
 *
 * @param id {@code operationId} in {@code openapi.json}; in words of the protocol if there is no path
 * @param in the request: path variables, query parameters and body, or the request on the socket
 * @param out the answer; null if it is not an object, or if there is none
 * @param route null if it is not available over HTTP
 * @param status the HTTP status of success
 * @param handler null if each interface has its own
 * @param web replaces the handler for HTTP; null for none
 * @param socketWho who may call it on the spawner socket; null if it is not available there
 * @param connection replaces the handler for the spawner socket; null for none
 */
record Operation<I extends Record, O extends Record>(
        String id,
        Class<I> in,
        @Nullable Class<O> out,
        @Nullable Route route,
        int status,
        @Nullable Handler<I, O> handler,
        @Nullable WebHandler<I> web,
        @Nullable Who socketWho,
        @Nullable ConnectionHandler<I> connection) {
    Operation {
        if (route != null && socketWho != null && route.who() != socketWho) {
            throw new IllegalArgumentException(id + " has another right on the spawner socket than over HTTP");
        }
    }

    /** Implements the operation for every interface. */
    @FunctionalInterface
    interface Handler<I, O> {
        CompletionStage<? extends O> handle(Calls calls, Caller caller, I in);
    }

    /** Implements what exists over HTTP only: an answer that is not an object, a stream, an upgrade. */
    @FunctionalInterface
    interface WebHandler<I> {
        void handle(HttpApi api, Call call, I in);
    }

    /** Implements what exists on the spawner socket only: a connection that changes its protocol. */
    @FunctionalInterface
    interface ConnectionHandler<I> {
        /** @return completes with the answer; with null for none */
        CompletionStage<? extends @Nullable Record> handle(SpawnerSocket.Client client, I in);
    }

    static <I extends Record, O extends Record> Operation<I, O> named(
            String id, Class<I> in, Class<O> out, Handler<I, O> handler) {
        return new Operation<>(id, in, out, null, 200, handler, null, null, null);
    }

    /** An operation whose interfaces share only request and answer. */
    static <I extends Record, O extends Record> Operation<I, O> named(String id, Class<I> in, Class<O> out) {
        return new Operation<>(id, in, out, null, 200, null, null, null, null);
    }

    /** An operation whose answer is not an object. */
    static <I extends Record> Operation<I, ?> named(String id, Class<I> in) {
        return new Operation<>(id, in, null, null, 200, null, null, null, null);
    }

    /** Adds a route whose request is entirely in the path and the query. */
    Operation<I, O> at(HttpMethod method, String path, Who who) {
        Set<String> query = new LinkedHashSet<>(new TextBinding<>(in, null).names());
        query.removeAll(Route.variables(path));
        if (path.endsWith("*")) {
            query.remove("path");
        }
        return with(new Route(method, path, who, query, false, Route.Kind.PLAIN));
    }

    /** Adds a route whose request fields are in the body, except for path variables and the given query parameters. */
    Operation<I, O> withBody(HttpMethod method, String path, Who who, String... query) {
        return with(new Route(method, path, who, Set.of(query), true, Route.Kind.PLAIN));
    }

    /** Sets the kind of the route. */
    Operation<I, O> as(Route.Kind kind) {
        Route plain = route();
        if (plain == null) {
            throw new IllegalStateException(id + " has no way over HTTP");
        }
        return with(new Route(plain.method(), plain.path(), plain.who(), plain.query(), plain.takesBody(), kind));
    }

    private Operation<I, O> with(Route newRoute) {
        return new Operation<>(id, in, out, newRoute, status, handler, web, socketWho, connection);
    }

    Operation<I, O> answering(int newStatus) {
        return new Operation<>(id, in, out, route, newStatus, handler, web, socketWho, connection);
    }

    Operation<I, O> web(WebHandler<I> own) {
        return new Operation<>(id, in, out, route, status, handler, own, socketWho, connection);
    }

    /** Adds an action to an operation that has a route, with the same right. */
    Operation<I, O> action() {
        Route way = route();
        if (way == null) {
            throw new IllegalStateException(id + " has no way over HTTP");
        }
        return action(way.who());
    }

    /** Adds an action, which is named after the request's record. */
    Operation<I, O> action(Who who) {
        requireAction();
        return new Operation<>(id, in, out, route, status, handler, web, who, connection);
    }

    /** Adds an action with an implementation of its own. */
    Operation<I, O> action(Who who, ConnectionHandler<I> own) {
        requireAction();
        return new Operation<>(id, in, out, route, status, handler, web, who, own);
    }

    private void requireAction() {
        if (!SpawnerRequest.class.isAssignableFrom(in)) {
            throw new IllegalStateException(in + " cannot be asked on the spawner socket");
        }
    }

    /** How its record is read from an HTTP request. */
    TextBinding<I> binding() {
        Route way = route();
        if (way == null || !way.takesBody()) {
            return new TextBinding<>(in, null);
        }
        Set<String> texts = new LinkedHashSet<>(way.query());
        texts.addAll(Route.variables(way.path()));
        return new TextBinding<>(in, texts);
    }
}

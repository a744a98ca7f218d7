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
 * One operation: what is asked and what is answered, by which ways, and who may. The HTTP interface, the actions of the
 * spawner socket and the tests of their documents are made of {@link Operations}.
 *
 * <p>Decision 0032.
 *
 * @param id {@code operationId} in {@code openapi.json}; the same in words of the protocol where there is no path
 * @param in what is asked: the variable parts of the path, the parameters behind {@code ?} and the body, or the request on the socket
 * @param out what is answered; null where the answer is no object, or no answer at all
 * @param route null where there is no way over HTTP
 * @param status what HTTP answers when it is done
 * @param handler null where each way has its own
 * @param web what HTTP does in place of the handler; null for nothing of its own
 * @param socketWho who may on the spawner socket; null where there is no way there
 * @param connection what the spawner socket does in place of the handler; null for nothing of its own
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

    /** What is the same on every way. */
    @FunctionalInterface
    interface Handler<I, O> {
        CompletionStage<? extends O> handle(Calls calls, Caller caller, I in);
    }

    /** What only HTTP has: an answer that is no object, a stream, an upgrade. */
    @FunctionalInterface
    interface WebHandler<I> {
        void handle(HttpApi api, Call call, I in);
    }

    /** What only the spawner socket has: a connection that becomes another one. */
    @FunctionalInterface
    interface ConnectionHandler<I> {
        /** @return completes with the answer; with null where there is none */
        CompletionStage<? extends @Nullable Record> handle(SpawnerSocket.Client client, I in);
    }

    static <I extends Record, O extends Record> Operation<I, O> named(
            String id, Class<I> in, Class<O> out, Handler<I, O> handler) {
        return new Operation<>(id, in, out, null, 200, handler, null, null, null);
    }

    /** Where the ways have nothing in common but what is asked and answered. */
    static <I extends Record, O extends Record> Operation<I, O> named(String id, Class<I> in, Class<O> out) {
        return new Operation<>(id, in, out, null, 200, null, null, null, null);
    }

    /** Where the answer is no object. */
    static <I extends Record> Operation<I, ?> named(String id, Class<I> in) {
        return new Operation<>(id, in, null, null, 200, null, null, null, null);
    }

    /** All that is asked is in the path and behind {@code ?}. */
    Operation<I, O> at(HttpMethod method, String path, Who who) {
        Set<String> query = new LinkedHashSet<>(new TextBinding<>(in, null).names());
        query.removeAll(Route.variables(path));
        if (path.endsWith("*")) {
            query.remove("path");
        }
        return with(new Route(method, path, who, query, false, Route.Kind.PLAIN));
    }

    /** What is neither in the path nor one of those parameters is in the body. */
    Operation<I, O> withBody(HttpMethod method, String path, Who who, String... query) {
        return with(new Route(method, path, who, Set.of(query), true, Route.Kind.PLAIN));
    }

    /** Says what is special about the way over HTTP. */
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

    /** There is an action for it, which whoever may use the way over HTTP may use too. */
    Operation<I, O> action() {
        Route way = route();
        if (way == null) {
            throw new IllegalStateException(id + " has no way over HTTP");
        }
        return action(way.who());
    }

    /** There is an action for it, with a right of its own; its name is that of the record. */
    Operation<I, O> action(Who who) {
        requireAction();
        return new Operation<>(id, in, out, route, status, handler, web, who, connection);
    }

    /** There is an action for it, which does something else than HTTP. */
    Operation<I, O> action(Who who, ConnectionHandler<I> own) {
        requireAction();
        return new Operation<>(id, in, out, route, status, handler, web, who, own);
    }

    private void requireAction() {
        if (!SpawnerRequest.class.isAssignableFrom(in)) {
            throw new IllegalStateException(in + " cannot be asked on the spawner socket");
        }
    }

    /** How it is read of a request over HTTP. */
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

package brig.gateway.http;

import brig.gateway.auth.Access;
import brig.gateway.connection.Problem;
import brig.gateway.openai.ApiError;
import brig.gateway.session.Session;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One request that may do what it asks for: who it is, the session that its path names, its parameters and its body.
 */
public final class Call {
    private final RoutingContext context;
    private final Operation operation;
    private final Access access;
    private final @Nullable Session session;
    private Fields body = new Fields(Map.of());

    /**
     * @param access of the session, where there is one
     * @param session the one that the path names, where the operation is one of a session
     */
    public Call(RoutingContext context, Operation operation, Access access, @Nullable Session session) {
        this.context = context;
        this.operation = operation;
        this.access = access;
        this.session = session;
        for (String name : new TreeSet<>(context.request().params().names())) {
            if (!operation.passesOn()
                    && !operation.query().contains(name)
                    && !(name.equals("id") && operation.path().contains(":id"))) {
                throw Fields.invalid(
                        name, "is no parameter of this path; known are " + new TreeSet<>(operation.query()));
            }
        }
    }

    /** Reads the body, then goes on; a bad one is refused. Must be called in the turn in which the request came. */
    public void readBody(int bytesMax, Runnable then) {
        requireJson(request().getHeader("Content-Type"));
        new Body(bytesMax, then).read();
    }

    /** What curl sends by itself when it is told nothing better counts as JSON too. */
    private static void requireJson(@Nullable String type) {
        if (type == null) {
            return;
        }
        String media = type.split(";", 2)[0].trim();
        if (!media.equalsIgnoreCase("application/json")
                && !media.equalsIgnoreCase("application/x-www-form-urlencoded")) {
            throw new BrigException(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "a body must be application/json");
        }
    }

    /** Collects a body up to its bound; what comes behind that is let go. */
    private final class Body {
        private final Buffer bytes = Buffer.buffer();
        private final int bytesMax;
        private final Runnable then;
        private boolean refused;

        Body(int bytesMax, Runnable then) {
            this.bytesMax = bytesMax;
            this.then = then;
        }

        void read() {
            request().handler(this::handleBytes);
            request().endHandler(end -> handleEnd());
        }

        private void handleBytes(Buffer part) {
            if (refused) {
                return;
            }
            if (bytes.length() + part.length() > bytesMax) {
                refused = true;
                refuse(new BrigException(
                        ErrorCode.BODY_TOO_LARGE, "a body may have limits.requestBodyBytes (" + bytesMax + ") bytes"));
                return;
            }
            bytes.appendBuffer(part);
        }

        private void handleEnd() {
            if (!refused) {
                guard(() -> {
                    body = new Fields(bytes.length() == 0 ? Map.of() : Json.parseObject(bytes.getBytes()));
                    then.run();
                });
            }
        }
    }

    /** Runs something whose refusal becomes the answer. */
    public void guard(Runnable task) {
        try {
            task.run();
        } catch (BrigException refusal) {
            refuse(refusal);
        }
    }

    public Access access() {
        return access;
    }

    public Session session() {
        return Objects.requireNonNull(session, "the operation is not one of a session");
    }

    /** The variable part of the path. */
    public String id() {
        return context.pathParam("id");
    }

    public Fields body() {
        return body;
    }

    /** The body as a record. @throws BrigException what is wrong with a field */
    public <T> T body(Class<T> type) {
        return JsonObject.of(body.asMap()).as(type);
    }

    public HttpServerRequest request() {
        return context.request();
    }

    public HttpServerResponse response() {
        return context.response();
    }

    /** Whether the client has gone away before it was answered. */
    public boolean isGone() {
        return response().closed();
    }

    /** A parameter behind {@code ?}; null where it is absent or empty. */
    @Nullable
    public String text(String name) {
        String value = request().getParam(name);
        return value == null || value.isEmpty() ? null : value;
    }

    /** A whole number behind {@code ?}; one that is there and empty is none. @throws BrigException {@code INVALID_FIELD} */
    public long number(String name, long min, long max, long absent) {
        String value = request().getParam(name);
        if (value == null) {
            return absent;
        }
        try {
            return new Fields(Map.of(name, Long.parseLong(value))).number(name, min, max, absent);
        } catch (NumberFormatException e) {
            throw Fields.invalid(name, "must be a whole number");
        }
    }

    public boolean flag(String name) {
        String value = text(name);
        if (value != null && !value.equals("true") && !value.equals("false")) {
            throw Fields.invalid(name, "must be true or false");
        }
        return "true".equals(value);
    }

    /** A status, and the object that goes with it. */
    public record Answer(int status, Map<String, ?> body) {}

    public void answer(int status, Map<String, ?> map) {
        response()
                .setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .end(Buffer.buffer(Json.write(map)));
    }

    public void answer(int status, CompletionStage<? extends Map<String, ?>> later) {
        answer(later.thenApply(map -> new Answer(status, map)));
    }

    /** A record, as soon as it is there. */
    public void answerWith(int status, CompletionStage<? extends Record> later) {
        later.whenComplete((answer, failure) -> {
            if (failure == null) {
                guard(() -> answer(status, answer));
            } else {
                refuse(Problem.refusal(failure));
            }
        });
    }

    public void answer(int status, Record body) {
        response()
                .setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .end(Buffer.buffer(Json.write(body)));
    }

    public void answer(CompletionStage<Answer> later) {
        later.whenComplete((answer, failure) -> {
            if (failure == null) {
                guard(() -> answer(answer.status(), answer.body()));
            } else {
                refuse(Problem.refusal(failure));
            }
        });
    }

    public void refuse(BrigException refusal) {
        if (!response().ended() && !isGone()) {
            refuse(response(), operation.isModel(), refusal);
        }
    }

    /**
     * In the form that the clients read.
     *
     * @param model whether they speak to a model
     */
    public static void refuse(HttpServerResponse response, boolean model, BrigException refusal) {
        if (model) {
            ApiError.send(response, refusal);
        } else {
            Problem.send(response, refusal);
        }
    }
}

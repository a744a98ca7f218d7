package brig.gateway.http;

import brig.gateway.auth.Access;
import brig.gateway.connection.Problem;
import brig.gateway.openai.ApiError;
import brig.gateway.session.Session;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One authorized request: the client, the session in its path, its parameters and its body. */
public final class Call {
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final int FORM_FIELDS_MAX = 8;

    private final RoutingContext context;
    private final Route route;
    private final Caller caller;

    public Call(RoutingContext context, Route route, Caller caller) {
        this.context = context;
        this.route = route;
        this.caller = caller;
        Set<String> variables = Route.variables(route.path());
        for (String name : new TreeSet<>(context.request().params().names())) {
            if (!route.takesAnyParameters() && !route.query().contains(name) && !variables.contains(name)) {
                throw BrigException.invalid(
                        name, "is no parameter of this path; known are " + new TreeSet<>(route.query()));
            }
        }
    }

    /** The path variables and the query parameters. */
    public Map<String, String> texts() {
        Map<String, String> texts = new HashMap<>();
        for (String name : route.query()) {
            String value = request().getParam(name);
            if (value != null) {
                texts.put(name, value);
            }
        }
        Route.variables(route.path()).forEach(name -> texts.put(name, context.pathParam(name)));
        String rest = context.pathParam("*");
        if (rest != null) {
            texts.put("path", rest);
        }
        return texts;
    }

    /** Whether the client asks for server-sent events. */
    public boolean wantsEvents() {
        String accept = request().getHeader("Accept");
        return accept != null && accept.contains("text/event-stream");
    }

    /** Reads the body, then continues; a bad one is refused. Call it in the loop iteration of the request. */
    public void readBody(int bytesMax, Consumer<JsonObject> then) {
        requireJson(request().getHeader("Content-Type"));
        new Body(
                        bytesMax,
                        bytes ->
                                then.accept(bytes.length() == 0 ? JsonObject.EMPTY : JsonObject.read(bytes.getBytes())))
                .read();
    }

    /** The same for the form of a page; each field once. */
    public void readForm(int bytesMax, Consumer<Map<String, String>> then) {
        String type = request().getHeader("Content-Type");
        if (type == null || !type.split(";", 2)[0].trim().equalsIgnoreCase(FORM)) {
            throw new BrigException(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "a form must be " + FORM);
        }
        new Body(bytesMax, bytes -> then.accept(form(bytes.toString(StandardCharsets.UTF_8)))).read();
    }

    private static Map<String, String> form(String text) {
        Map<String, String> fields = new HashMap<>();
        try {
            new QueryStringDecoder(text, StandardCharsets.UTF_8, false, FORM_FIELDS_MAX, true)
                    .parameters()
                    .forEach((name, values) -> {
                        if (values.size() > 1) {
                            throw BrigException.invalid(name, "is there twice");
                        }
                        fields.put(name, values.getFirst());
                    });
        } catch (IllegalArgumentException e) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "the form cannot be read");
        }
        return fields;
    }

    /** The default type that curl sends counts as JSON too. */
    private static void requireJson(@Nullable String type) {
        if (type == null) {
            return;
        }
        String media = type.split(";", 2)[0].trim();
        if (!media.equalsIgnoreCase("application/json") && !media.equalsIgnoreCase(FORM)) {
            throw new BrigException(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "a body must be application/json");
        }
    }

    /** Collects a body up to its limit and drops the rest. */
    private final class Body {
        private final Buffer bytes = Buffer.buffer();
        private final int bytesMax;
        private final Consumer<Buffer> then;
        private boolean refused;

        Body(int bytesMax, Consumer<Buffer> then) {
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
                refuse(new BrigException(ErrorCode.BODY_TOO_LARGE, "a body may have " + bytesMax + " bytes here"));
                return;
            }
            bytes.appendBuffer(part);
        }

        private void handleEnd() {
            if (!refused) {
                guard(() -> then.accept(bytes));
            }
        }
    }

    /** Runs a task; its refusal becomes the answer. */
    public void guard(Runnable task) {
        try {
            task.run();
        } catch (BrigException refusal) {
            refuse(refusal);
        }
    }

    public Caller caller() {
        return caller;
    }

    public Access access() {
        return caller.access();
    }

    public Session session() {
        return caller.session();
    }

    public HttpServerRequest request() {
        return context.request();
    }

    public HttpServerResponse response() {
        return context.response();
    }

    /** Whether the client disconnected before it was answered. */
    public boolean isGone() {
        return response().closed();
    }

    /** A status and its body. */
    public record Answer(int status, Record body) {}

    public void answer(int status, Record body) {
        response()
                .setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .end(Buffer.buffer(Json.write(body)));
    }

    public void answer(int status, CompletionStage<? extends Record> later) {
        answer(later.thenApply(body -> new Answer(status, body)));
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
            refuse(response(), route.isModel(), refusal);
        }
    }

    /**
     * Sends a refusal in the client's format.
     *
     * @param model whether the client uses a model
     */
    public static void refuse(HttpServerResponse response, boolean model, BrigException refusal) {
        if (model) {
            ApiError.send(response, refusal);
        } else {
            Problem.send(response, refusal);
        }
    }
}

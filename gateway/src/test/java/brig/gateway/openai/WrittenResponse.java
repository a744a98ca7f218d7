package brig.gateway.openai;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;

/** A response that keeps what is written: its status and all of its body. */
final class WrittenResponse {
    private final StringBuilder body = new StringBuilder();
    private int status = 200;
    final HttpServerResponse response = (HttpServerResponse) Proxy.newProxyInstance(
            WrittenResponse.class.getClassLoader(),
            new Class<?>[] {HttpServerResponse.class},
            (proxy, method, arguments) -> {
                switch (method.getName()) {
                    case "setStatusCode" -> status = (Integer) arguments[0];
                    case "write", "end" -> append(arguments[0]);
                    case "writeQueueFull" -> {
                        return false;
                    }
                    default -> {}
                }
                return method.getReturnType() == HttpServerResponse.class ? proxy : null;
            });

    private void append(Object written) {
        body.append(written instanceof Buffer bytes ? bytes.toString(StandardCharsets.UTF_8) : written);
    }

    int status() {
        return status;
    }

    String body() {
        return body.toString();
    }
}

package brig.gateway.e2e;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** Server-sent events, read one by one; the class's timeout is the deadline. */
final class Events implements Source {
    private final HttpResponse<InputStream> response;
    private final BufferedReader reader;
    private String lastId = "";

    Events(HttpResponse<InputStream> response) {
        this.response = response;
        reader = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    @Override
    public String line() throws IOException {
        String data = null;
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.startsWith("id: ")) {
                lastId = line.substring("id: ".length());
            } else if (line.startsWith("data: ")) {
                data = line.substring("data: ".length());
            } else if (line.isEmpty() && data != null) {
                return data;
            }
        }
        return null;
    }

    /** What a browser would send as Last-Event-ID. */
    String lastId() {
        return lastId;
    }

    String resumedFrom() {
        return header("Brig-Resumed-From");
    }

    String header(String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}

package brig.gateway.e2e;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Lines of a session, whatever brings them. It is read line by line and buffers little, so that a test can be
 * slow.
 */
interface Source extends AutoCloseable {
    /** The next line; null when the other end closed. @throws AssertionError where none comes in time */
    String line() throws IOException;

    /** The next line, read. */
    default JsonObject message() throws IOException {
        String line = line();
        if (line == null) {
            throw new AssertionError("the connection was closed where a line was due");
        }
        return JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    void close() throws IOException;
}

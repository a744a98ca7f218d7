package brig.gateway.e2e;

import java.io.IOException;
import java.util.stream.IntStream;

/** A session whose frames the test writes. It ends with its connection. */
record Tracked(Wire wire, String id) implements AutoCloseable {
    static Tracked begin(Product product, String taskId) throws IOException {
        Wire wire = product.dial();
        wire.sendLine("{\"action\":\"track\",\"agent\":\"counter\",\"task_id\":\"" + taskId + "\"}");
        return new Tracked(wire, wire.message().text("spawn_id"));
    }

    /** Writes a frame with that number, and the fields in single quotes. */
    void write(int seq, String fields) throws IOException {
        wire.sendLine("{\"seq\":" + seq + ",\"ts\":1767225600000," + fields.replace('\'', '"') + "}");
    }

    /** Writes a line {@code line SEQ} for each of those numbers, and more of it. */
    void count(int from, int to, String more) throws IOException {
        for (int seq : IntStream.rangeClosed(from, to).toArray()) {
            write(seq, "'type':'chunk','stream':'stdout','content':'line " + seq + more + "\\n'");
        }
    }

    void awaitRecorded(int seq) throws IOException {
        while (wire.message().number("ack", 0) < seq) {}
    }

    /** The number of those who read it. */
    long readers(Product product) {
        try {
            return product.ask("{\"action\":\"status\",\"id\":\"" + id + "\"}").number("readers", -1);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        wire.close();
    }
}

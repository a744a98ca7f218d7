package brig.protocol.golden;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.wire.ChunkEncoder;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import brig.protocol.wire.LineDecoder;
import brig.protocol.wire.ObjectDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Feeds reads to what a script's command names, and writes down what comes out. */
final class ScriptRunner {
    private static final long NOW_MS = 1000;

    private final List<String> output = new ArrayList<>();

    private ScriptRunner() {}

    static List<String> run(GoldenScript.Case script, List<byte[]> reads) throws InterruptedException {
        ScriptRunner runner = new ScriptRunner();
        switch (script.command()) {
            case "lines" -> runner.runLines(Integer.parseInt(script.options().get("max")), reads);
            case "frames" -> runner.runFrames(reads);
            case "objects" ->
                runner.runObjects(Integer.parseInt(script.options().get("max")), reads);
            case "chunks" -> runner.runChunks(script.options().get("stream"), reads);
            default -> throw new IllegalArgumentException("unknown command " + script.command());
        }
        return runner.output;
    }

    private void runLines(int bytesMax, List<byte[]> reads) {
        LineDecoder decoder = new LineDecoder(bytesMax, new LineDecoder.Sink() {
            @Override
            public void handleLine(byte[] bytes, int offset, int length) {
                output.add("line " + Notation.text(bytes, offset, length));
            }

            @Override
            public void handleBadLine(ErrorCode code) {
                output.add("bad " + code);
            }
        });
        reads.forEach(read -> decoder.decode(read, 0, read.length));
    }

    private void runFrames(List<byte[]> reads) {
        FrameDecoder decoder = new FrameDecoder(new FrameDecoder.Sink() {
            @Override
            public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
                output.add("frame " + type + " " + seq + " " + Notation.text(bytes, offset, length));
            }

            @Override
            public void handleBadFrame(ErrorCode code) {
                output.add("bad " + code);
            }
        });
        reads.forEach(read -> decoder.decode(read, 0, read.length));
    }

    private void runObjects(int bytesMax, List<byte[]> reads) {
        ObjectDecoder decoder = new ObjectDecoder(bytesMax, new ObjectDecoder.Sink() {
            @Override
            public void handleObject(JsonObject object) {
                byte[] json = Json.write(object);
                output.add("object " + Notation.text(json, 0, json.length));
            }

            @Override
            public void handleFault(BrigException fault) {
                output.add("fault " + fault.code());
            }
        });
        reads.forEach(read -> decoder.decode(read, 0, read.length));
    }

    private void runChunks(String stream, List<byte[]> reads) throws InterruptedException {
        ChunkEncoder encoder = new ChunkEncoder(stream, (bytes, length) -> {
            byte[] head = ("{\"type\":\"chunk\",\"seq\":" + (output.size() + 1)).getBytes(StandardCharsets.US_ASCII);
            output.add(Notation.text(head, 0, head.length) + Notation.text(bytes, 0, length));
        });
        for (byte[] read : reads) {
            encoder.encode(read, 0, read.length, NOW_MS);
        }
        encoder.finish(NOW_MS);
    }
}

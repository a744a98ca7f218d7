package brig.loadtests.conformance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Server-sent events of a mini server, each in a chunk of its own. */
final class MiniEvents implements MiniReader.Sink {
    private final MiniChannel channel;
    private final MiniSession session;

    MiniEvents(MiniChannel channel, MiniSession session) {
        this.channel = channel;
        this.session = session;
    }

    void event(String text) throws IOException {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        channel.write(Integer.toHexString(bytes) + "\r\n" + text + "\r\n");
    }

    @Override
    public void frame(long seq, String line) throws IOException {
        long id = session.defect == Defect.ID_OF_ANOTHER_FRAME ? seq + 1 : seq;
        event("id: " + session.epoch + "-" + id + "\ndata: " + line + "\n\n");
    }

    @Override
    public void state(String line) throws IOException {
        event("event: state\ndata: " + line + "\n\n");
    }

    @Override
    public void gap(String line, long to) throws IOException {
        event((session.defect == Defect.GAP_MOVES_POSITION ? "id: " + session.epoch + "-" + to + "\n" : "")
                + "event: gap\ndata: " + line + "\n\n");
    }

    @Override
    public void cut() {
        channel.close();
    }

    @Override
    public MiniChannel channel() {
        return channel;
    }

    @Override
    public void leave(String line) throws IOException {
        event("event: notice\ndata: " + line + "\n\n");
        end();
    }

    @Override
    public void end() throws IOException {
        if (session.defect != Defect.STAYS_OPEN_BEHIND_THE_END) {
            channel.write("0\r\n\r\n");
            channel.finish();
        }
    }
}

package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.wire.ShellMessage;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Map;

/** Calls a shell as brig-shim does. */
final class ShellCaller implements AutoCloseable {
    private final SocketChannel channel;
    private final DataInputStream in;
    final ByteArrayOutputStream output = new ByteArrayOutputStream();
    final ByteArrayOutputStream error = new ByteArrayOutputStream();
    /** The file that was brought back: its path, NUL, its content. */
    String returned = "";

    ShellCaller(Path socket, String folder, Map<String, String> environment, String... arguments) throws IOException {
        this(socket);
        StringBuilder request = new StringBuilder("bash\0" + folder + "\0\0" + "0\0" + "0\0" + arguments.length + "\0");
        for (String argument : arguments) request.append(argument).append('\0');
        environment.forEach(
                (name, value) -> request.append(name).append('=').append(value).append('\0'));
        send('R', request.toString().getBytes(ISO_8859_1));
    }

    ShellCaller(Path socket) throws IOException {
        channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        in = new DataInputStream(Channels.newInputStream(channel));
    }

    void send(char type, byte... content) throws IOException {
        ShellMessage.write(channel, type, content, 0, content.length);
    }

    SocketChannel channel() {
        return channel;
    }

    void awaitOutput(String text) throws IOException {
        while (!outputText().contains(text)) {
            if (in.readUnsignedByte() != 'O') throw new IOException("no output");
            output.writeBytes(in.readNBytes(in.readInt()));
        }
    }

    /** The next message of another type than output. */
    ShellMessage next() throws IOException {
        while (true) {
            char type = (char) in.readUnsignedByte();
            byte[] content = in.readNBytes(in.readInt());
            switch (type) {
                case 'O' -> output.writeBytes(content);
                case 'X' -> error.writeBytes(content);
                case 'F' -> returned = new String(content, ISO_8859_1);
                default -> {
                    return new ShellMessage(type, content);
                }
            }
        }
    }

    /** Its exit code, or 1000 and the signal; -1 if the connection ended without. */
    int end() throws IOException {
        try {
            for (ShellMessage message = next(); ; message = next()) {
                if (message.type() == 'C') return message.content()[0] & 0xff;
                if (message.type() == 'K') return 1000 + message.content()[0];
            }
        } catch (EOFException ended) {
            return -1;
        }
    }

    /** Sends a piece of input and waits until it was taken. */
    void input(byte[] piece) throws IOException {
        send('I', piece);
        if (next().type() != 'A') throw new IOException("the input was not taken");
    }

    String outputText() {
        return output.toString(UTF_8);
    }

    String errorText() {
        return error.toString(UTF_8);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

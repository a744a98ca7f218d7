package brig.cli.tty;

import brig.formats.terminal.TerminalModel;
import brig.protocol.frame.Frame;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an agent's terminal shows after the frames so far, as text. */
public final class TerminalText {
    private @Nullable TerminalModel model;

    /** @return whether the frame is about a terminal */
    public boolean take(@Nullable Frame frame) {
        switch (frame) {
            case Frame.Tty size -> {
                if (model == null) {
                    model = model(size.cols(), size.rows());
                } else {
                    model.resize(size.cols(), size.rows());
                }
                return true;
            }
            case Frame.Chunk chunk
            when chunk.stream() == Frame.Chunk.Channel.TTY -> {
                if (model != null) {
                    model.write(chunk.content());
                }
                return true;
            }
            case Frame.Screen screen -> {
                // It is needed where the frames before it are missing.
                if (model == null) {
                    model = model(screen.cols(), screen.rows());
                    model.write(screen.content());
                }
                return true;
            }
            case null, default -> {
                return false;
            }
        }
    }

    private static TerminalModel model(int cols, int rows) {
        return new TerminalModel(cols, rows, answer -> {});
    }

    /** The lines that were scrolled off, and those on the screen. */
    public List<String> lines() {
        return model == null ? List.of() : model.lines();
    }
}

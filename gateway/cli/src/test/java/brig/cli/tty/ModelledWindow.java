package brig.cli.tty;

import brig.cli.terminal.RawTerminal;
import brig.cli.terminal.Window;
import brig.formats.terminal.TerminalFilter;
import brig.formats.terminal.TerminalModel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A person's window that a terminal model stands for. */
final class ModelledWindow implements Window {
    final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    private final TerminalFilter filter = new TerminalFilter();
    private TerminalModel model;
    private RawTerminal.Size size;
    private Runnable changed = () -> {};

    ModelledWindow(int cols, int rows) {
        size = new RawTerminal.Size(rows, cols);
        model = new TerminalModel(cols, rows, answer -> {});
    }

    /** All that draws it anew, so that equal screens are equal texts. */
    synchronized String screen() {
        return model.state();
    }

    /** Another program wrote over it. */
    synchronized void spoil() {
        model.write("\u001b[2J\u001b[3;3Hspoilt");
    }

    void resize(int cols, int rows) {
        synchronized (this) {
            size = new RawTerminal.Size(rows, cols);
            model.resize(cols, rows);
        }
        changed.run();
    }

    @Override
    public synchronized void fresh() {
        model.write(filter.fresh());
    }

    @Override
    public synchronized void draw(String output) {
        StringBuilder passed = new StringBuilder();
        filter.filter(output, passed);
        model.write(passed);
    }

    @Override
    public void say(String text) {
        said.add(text);
    }

    @Override
    public synchronized RawTerminal.Size size() {
        return size;
    }

    @Override
    public void whenChanged(Runnable run) {
        changed = run;
    }
}

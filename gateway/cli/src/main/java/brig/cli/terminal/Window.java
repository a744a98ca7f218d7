package brig.cli.terminal;

/** Where an agent's terminal is shown to a person. Thread-safe. */
public interface Window {
    /** Makes it like a fresh terminal. */
    void fresh();

    /** Shows what a program wrote for its terminal. What would do anything but draw does not pass. */
    void draw(String output);

    /** Shows a line of Brig's own at the bottom, over the drawing. */
    void say(String text);

    RawTerminal.Size size();

    /** Tells of each new size, and of each time that the process was stopped and goes on. */
    void whenChanged(Runnable changed);
}

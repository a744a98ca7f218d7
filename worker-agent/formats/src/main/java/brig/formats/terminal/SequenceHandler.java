package brig.formats.terminal;

/**
 * Takes what a {@link SequenceParser} finds. A function is named by the characters that tell it from others: a private
 * prefix times 65,536, an intermediate character times 256, and the final character. So {@code ESC [ ? 25 h} is
 * {@code '?' << 16 | 'h'}.
 */
interface SequenceHandler {
    /** Text without control characters. A surrogate pair is never split, and an unpaired one is not repaired. */
    void print(char[] text, int from, int to);

    /** A control character, C0 or C1. */
    void execute(char control);

    /** ESC with a final character. */
    void escape(int function);

    /** A control sequence, CSI. */
    void control(int function, Parameters parameters);

    /** A command of the operating system, OSC, whole. */
    void command(String content);

    /** A device control string, DCS, whole. */
    void device(String content);
}

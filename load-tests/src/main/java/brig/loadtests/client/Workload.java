package brig.loadtests.client;

/**
 * Work for an agent: bursts of numbered lines, with a pause after each. All of its output is known in advance.
 *
 * @param first the number of the first line, which distinguishes streams
 * @param widthBytes of a line without its LF
 */
public record Workload(int first, int bursts, int lines, int widthBytes, String pauseSeconds) {
    public static Workload lines(int lines) {
        return new Workload(1, 1, lines, 20, "0");
    }

    /** About that many bytes at once. */
    public static Workload bytes(long bytes) {
        return new Workload(1, 1, (int) (bytes / 100), 99, "0");
    }

    /** As above in pieces over a second, so that an early reader sees most of it written. */
    public static Workload flood(long bytes) {
        return new Workload(1, 20, (int) (bytes / 2000), 99, "0.05");
    }

    public Workload from(int newFirst) {
        return new Workload(newFirst, bursts, lines, widthBytes, pauseSeconds);
    }

    /** The message for an agent that runs messages with a shell. */
    public String message() {
        return "for b in $(seq 0 %d); do seq -f %%0%d.0f $((b*%d+%d)) $((b*%d+%d)); sleep %s; done"
                .formatted(bursts - 1, widthBytes, lines, first, lines, first + lines - 1, pauseSeconds);
    }

    public String output() {
        StringBuilder output = new StringBuilder();
        for (int i = first; i < first + bursts * lines; i++) {
            String digits = String.valueOf(i);
            output.append("0".repeat(widthBytes - digits.length()))
                    .append(digits)
                    .append('\n');
        }
        return output.toString();
    }
}

package brig.loadtests.walls;

/** What is measured behind each wall. A script says on its last line how many microseconds it took. */
enum Measure {
    START("start_ms", "start, ms", 1, """
        echo up
        """),
    MEMORY("idle_mib", "idle memory, MiB each", 1, """
        echo up
        exec sleep infinity
        """),
    SYSCALL(
            "syscall_ns",
            "a system call, ns",
            1e3 / Measure.SYSTEM_CALLS,
            Measure.timed(Measure.dd(1), Measure.dd(Measure.SYSTEM_CALLS / 2))),
    COMPILE("compile_ms", "gcc -O2, ms", 1e-3, Measure.timed("gcc -c warm.c", "gcc -O2 -c big.c")),
    GIT("git_status_ms", "git status, ms", 1e-3, Measure.timed(Measure.STATUS, Measure.STATUS)),
    NPM(
            "npm_ci_ms",
            "npm ci, ms",
            1e-3,
            Measure.timed("rm -rf node_modules", "npm ci --offline --no-audit --no-fund --ignore-scripts >/dev/null"));

    /** By dd, which reads and writes each byte by itself. */
    static final int SYSTEM_CALLS = 1_000_000;

    private static final String STATUS = "git status >/dev/null";
    private static final String TOOK = "took ";

    private final String key;
    private final String title;
    private final double eachMicrosecond;
    private final String script;

    Measure(String key, String title, double eachMicrosecond, String script) {
        this.key = key;
        this.title = title;
        this.eachMicrosecond = eachMicrosecond;
        this.script = script;
    }

    /** The clock is bash's own variable, as a program that tells the time would take time itself. */
    private static String timed(String before, String measured) {
        return """
            set -e
            %s
            from=${EPOCHREALTIME/[.,]/}
            %s
            to=${EPOCHREALTIME/[.,]/}
            echo took $((to - from))
            """.formatted(before, measured);
    }

    private static String dd(int bytes) {
        return "dd bs=1 count=" + bytes + " if=/dev/zero of=/dev/null 2>/dev/null";
    }

    /** Its name in JSON, with the unit. */
    String key() {
        return key;
    }

    /** Whether its script works in a folder of {@link Materials}. */
    boolean hasFolder() {
        return this == COMPILE || this == GIT || this == NPM;
    }

    String title() {
        return title;
    }

    String script() {
        return script;
    }

    /** The value that the output of its script says. @throws IllegalArgumentException with the output if it says none */
    double value(String said) {
        return said.lines()
                .filter(line -> line.startsWith(TOOK))
                .findFirst()
                .map(line -> Long.parseLong(line.substring(TOOK.length())) * eachMicrosecond)
                .orElseThrow(() -> new IllegalArgumentException(said.isBlank() ? "it said nothing" : said.strip()));
    }
}

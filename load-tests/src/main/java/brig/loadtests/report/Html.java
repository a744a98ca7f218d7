package brig.loadtests.report;

/** Common parts of the page. */
final class Html {
    static final String STYLE = """
            body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
                   color: #1d2733; background: #fff }
            h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2.5rem } h3 { font-size: 1rem }
            table { border-collapse: collapse; width: 100% } th, td { padding: .25rem .6rem; text-align: right;
                   border-bottom: 1px solid #dde3ea } th:first-child, td:first-child { text-align: left }
            td.text { text-align: left } code { font-size: .9em; overflow-wrap: anywhere }
            svg { width: 100%; height: auto; font-size: 12px } text { fill: currentColor } .name { text-anchor: end }
            .mark { text-anchor: middle } .grid { stroke: #dde3ea } .spread { stroke: #1d2733; stroke-width: 1.5 }
            .line { fill: none; stroke-width: 2 } .holds { color: #12703f } .fails { color: #b3261e; font-weight: 600 }
            .unmeasured, .fault { color: #8a5a00 }
            .brig { fill: #1b66c9; stroke: #1b66c9 } .baseline { fill: #4f5b66; stroke: #4f5b66 }
            .baseline-per-frame { fill: #98a3ad; stroke: #98a3ad } .nats { fill: #2c9f6b; stroke: #2c9f6b }
            .nchan { fill: #c77700; stroke: #c77700 } .node { fill: #8d4fb8; stroke: #8d4fb8 }
            .heap { fill: #d1495b; stroke: #d1495b } path.line { fill: none }
            @media (prefers-color-scheme: dark) { body { background: #12171d; color: #dfe6ee }
                .grid { stroke: #2c3641 } th, td { border-color: #2c3641 } .spread { stroke: #dfe6ee }
                .holds { color: #5fd39a } .fails { color: #ff8a80 } }
            """;

    private Html() {}

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** The CSS class with the peer's colour. */
    static String style(String peer) {
        return escape(peer);
    }
}

package brig.loadtests.conformance;

/** What can be wrong with a server, one thing at a time: the check that must find it, over one way in. */
enum Defect {
    NONE("", Way.UNIX),
    DROPS_A_FRAME("order", Way.UNIX),
    REPEATS_A_FRAME("order", Way.WEBSOCKET),
    SWAPS_TWO_FRAMES("order", Way.SSE),
    FORGETS_DONE("order", Way.SSE),
    SENDS_DONE_TWICE("done", Way.MANY),
    FORGETS_TERMINATED("order", Way.UNIX),
    CUTS_A_LINE("order", Way.WEBSOCKET),
    CLOSES_WITHOUT_A_WORD("order", Way.SSE),
    GARBLES_CONTENT("order", Way.UNIX),
    ID_OF_ANOTHER_FRAME("order", Way.SSE),
    MESSAGE_WITHOUT_SESSION("order", Way.MANY),
    WELCOME_COMES_SECOND("welcome", Way.UNIX),
    WELCOME_WITHOUT_ROLE("welcome", Way.MANY),
    NUMBERS_PER_READER("same-frames", Way.SSE),
    LOSES_AT_THE_SEAM("seam", Way.WEBSOCKET),
    FRAMES_OF_ANY_LENGTH("frame-bound", Way.UNIX),
    CANCEL_WITHOUT_DONE("cancel", Way.UNIX),
    IGNORES_TERMINATE("terminate", Way.MANY),
    TALKS_BEHIND_THE_END("end", Way.UNIX),
    STAYS_OPEN_BEHIND_THE_END("end", Way.SSE),
    CLOSES_WITH_WRONG_CODE("end", Way.WEBSOCKET),
    CLOSES_ALL_AT_ONE_END("end", Way.MANY),
    FORGETS_ENDED_STREAMS("ended", Way.SSE),
    IGNORES_UNSUBSCRIBE("unsubscribe", Way.MANY),
    MIXES_STREAMS("apart", Way.MANY),
    RESUMES_ONE_LATE("cut", Way.UNIX),
    RESUMES_ONE_EARLY("cut", Way.MANY),
    REMEMBERS_POSITION_ITSELF("cut", Way.SSE),
    LIES_ABOUT_FROM("old", Way.WEBSOCKET),
    IGNORES_LAST_EVENT_ID("old", Way.SSE),
    BEGINS_LIVE_BY_DEFAULT("default", Way.UNIX),
    REPEATS_THE_NEWEST("current", Way.WEBSOCKET),
    WAITS_FOR_THE_FUTURE("future", Way.UNIX),
    STARTS_OVER_FOR_THE_FUTURE("future", Way.SSE),
    TAKES_ANY_FROM("bad-from", Way.UNIX),
    TAKES_ANY_ID("bad-id", Way.SSE),
    IGNORES_EPOCHS("foreign", Way.SSE),
    HIDES_NEW_EPOCH("foreign", Way.SSE),
    COUNTS_BEYOND_THE_BOUND("foreign-bound", Way.SSE),
    EMPTY_HEADER_WINS("query-id", Way.SSE),
    QUERY_WINS("query-id", Way.SSE),
    STREAM_MAY_BE_CACHED("sse-head", Way.SSE),
    NEVER_ANSWERS_204("all-read", Way.SSE),
    WATCHER_HOLDS_WORKER("stall", Way.SSE),
    DROPS_FOR_THE_SLOW("stall", Way.UNIX),
    CAPTAIN_HOLDS_NOBODY("tethered", Way.UNIX),
    NEVER_SAYS_THROTTLED("throttled", Way.WEBSOCKET),
    SAYS_THROTTLED_AFTERWARDS("throttled", Way.SSE),
    STAYS_THROTTLED("throttled", Way.MANY),
    NEVER_CUTS("slow-cut", Way.WEBSOCKET),
    CUTS_THE_SLOW_AT_ONCE("slow-cut", Way.SSE),
    LEAVES_THE_SLOW_WITHOUT_A_WORD("slow-cut", Way.UNIX),
    LETS_THE_SLOW_RESUME_LATE("slow-cut", Way.MANY),
    CLOSES_THE_SLOW_WITH_WRONG_CODE("slow-cut", Way.WEBSOCKET),
    KEEPS_ONLY_THE_WINDOW("replay", Way.MANY),
    SKIPS_WHAT_IS_GONE("evicted", Way.UNIX),
    FORGETS_GAP("evicted", Way.UNIX),
    GAP_BEGINS_LATE("evicted", Way.WEBSOCKET),
    GAP_BEGINS_EARLY("evicted", Way.MANY),
    GAP_ENDS_EARLY("evicted", Way.SSE),
    GAP_ENDS_LATE("evicted", Way.UNIX),
    GAP_WITHOUT_REASON("evicted", Way.WEBSOCKET),
    GAP_WITH_ANOTHER_REASON("evicted", Way.MANY),
    GAP_MOVES_POSITION("evicted", Way.SSE),
    ACCEPTS_BAD_TOKEN("wrong-token", Way.WEBSOCKET),
    ACCEPTS_TOKEN_OF_ANOTHER("wrong-token", Way.UNIX),
    ACCEPTS_NO_TOKEN("wrong-token", Way.SSE),
    TELLS_WHOSE_TOKEN_IT_IS("wrong-token", Way.SSE),
    IGNORES_ROLE("role", Way.WEBSOCKET),
    REFUSES_WITHOUT_ID("wrong-token", Way.MANY),
    REFUSES_WITH_WRONG_CODE("wrong-token", Way.WEBSOCKET),
    STAYS_OPEN_WITHOUT_AUTH("auth-first", Way.UNIX),
    WAITS_FOR_AUTH_FOREVER("auth-timeout", Way.WEBSOCKET),
    WATCHER_MAY_SPEAK("watcher", Way.UNIX),
    ANSWERS_ANY_HOST("host", Way.SSE),
    NEVER_BEATS("heartbeat", Way.SSE),
    BAD_LINE_CLOSES("malformed", Way.UNIX),
    TAKES_DUPLICATE_KEYS("malformed", Way.WEBSOCKET),
    TAKES_NUL("nul", Way.UNIX),
    TAKES_INVALID_UTF8("utf8", Way.UNIX),
    TAKES_LONG_LINES("too-long", Way.UNIX),
    DROPS_LINES_BEHIND_A_BAD_ONE("next-line", Way.WEBSOCKET),
    REFUSES_BELOW_THE_BOUND("longest", Way.UNIX),
    REFUSES_UNKNOWN_FIELDS("ignored", Way.MANY),
    REFUSES_EMPTY_LINES("line-ends", Way.UNIX),
    PASSES_OVER_UNKNOWN_ACTIONS("unknown-action", Way.UNIX),
    TAKES_BINARY("binary", Way.MANY),
    FAULT_WITHOUT_PROBLEM("problems", Way.SSE),
    NEW_EPOCH_AFTER_RESTART("restart", Way.SSE),
    NUMBERS_AGAIN_AFTER_RESTART("restart", Way.UNIX),
    NEW_TOKENS_AFTER_RESTART("restart", Way.WEBSOCKET),
    LOSES_RECORDS_AT_RESTART("restart-record", Way.SSE);

    private final String check;
    private final Way way;

    Defect(String check, Way way) {
        this.check = check;
        this.way = way;
    }

    String check() {
        return check;
    }

    Way way() {
        return way;
    }
}

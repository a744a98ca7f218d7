package brig.gateway.spawn;

import java.util.regex.Pattern;

/** Takes out of an error's text what may be a secret, before it is kept and shown: it may quote a command or a URL. */
final class Redaction {
    private static final int CHARACTERS_MAX = 1_000;
    /** Beyond this nobody looks for secrets, so it is cut off before; what is shown is far below. */
    private static final int LOOKED_AT_MAX = 8 * CHARACTERS_MAX;
    private static final String GONE = "[redacted]";
    /** Tokens that their makers gave a form of their own, so that they can be found. */
    private static final Pattern TOKEN = Pattern.compile(
            "brig_[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9_-]{16,}|gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_\\w{20,}"
                    + "|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16}|eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]*");
    private static final Pattern NAMED = Pattern.compile(
            "(?i)(authorization\\s*[:=]\\s*(?:bearer|basic)\\s+|bearer\\s+"
                    + "|[\\w-]*(?:token|secret|passw(?:or)?d|api[_-]?key|credential)s?[\"']?\\s*[:=]\\s*[\"']?)[^\\s\"',;&]+");
    private static final Pattern IN_URL = Pattern.compile("(://)[^/\\s@]+@");

    private Redaction() {}

    static String redact(String text) {
        String bounded = text.length() <= LOOKED_AT_MAX ? text : text.substring(0, LOOKED_AT_MAX);
        String named = NAMED.matcher(bounded).replaceAll("$1" + GONE);
        String tokens = TOKEN.matcher(named).replaceAll(GONE);
        String clean = IN_URL.matcher(tokens).replaceAll("$1" + GONE + "@");
        // Last, or a secret that the cut goes through would not be known as one.
        return clean.length() <= CHARACTERS_MAX ? clean : clean.substring(0, CHARACTERS_MAX) + "…";
    }
}

package brig.protocol.log;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Removes possible secrets from a text before it is stored or shown; it may quote a command or a URL.
 *
 * <p>Decision 0099.
 */
public final class Redaction {
    private static final int CHARACTERS_MAX = 1_000;
    /** Texts are cut to so many times the wanted length first, which bounds the search. */
    private static final int LONGER = 8;
    /** Limit for a log line: a stack trace is longer than an error. */
    private static final int LINE_CHARACTERS_MAX = 32_000;

    private static final String GONE = "[redacted]";
    /** Tokens with a recognizable form. */
    private static final Pattern TOKEN = Pattern.compile(
            "brig_[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9_-]{16,}|gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_\\w{20,}"
                    + "|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[A-Z0-9]{16}|eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]*");

    private static final Pattern NAMED = Pattern.compile("(?i)(authorization\\s*[:=]\\s*(?:bearer|basic)\\s+|bearer\\s+"
            + "|[\\w-]*(?:token|secret|passw(?:or)?d|api[_-]?key|credential)s?[\"']?\\s*[:=]\\s*[\"']?)[^\\s\"',;&]+");
    private static final Pattern IN_URL = Pattern.compile("(://)[^/\\s@]+@");

    /** Names of fields whose values are always secret. */
    private static final Pattern SECRET_NAME =
            Pattern.compile("(?i).*(token|secret|passw(or)?d|api[_-]?key|credential|authorization)s?");

    /** Each match of the patterns above has one of these, in lower case. Most texts have none, and are not searched. */
    private static final List<String> SIGNS = List.of(
            "token",
            "secret",
            "passw",
            "apikey",
            "api_key",
            "api-key",
            "credential",
            "authorization",
            "bearer",
            "://",
            "brig_",
            "sk-",
            "gho_",
            "ghp_",
            "ghr_",
            "ghs_",
            "ghu_",
            "github_pat_",
            "xox",
            "akia",
            "eyj");

    private Redaction() {}

    /** Redacts the text of an error that is stored. */
    public static String redact(String text) {
        return redact(text, CHARACTERS_MAX);
    }

    /** Redacts a text of which only the beginning is wanted. */
    public static String redact(String text, int charactersMax) {
        String clean = mask(text, LONGER * charactersMax);
        // Cut last: a secret that is cut in two would not be recognized.
        return clean.length() <= charactersMax ? clean : clean.substring(0, charactersMax) + "…";
    }

    /** Redacts a part of a log line. */
    static String mask(String text) {
        return mask(text, LINE_CHARACTERS_MAX);
    }

    /** Redacts the value of a field with that name. */
    static String mask(String name, String value) {
        return hasSign(name) && SECRET_NAME.matcher(name).matches() ? GONE : mask(value);
    }

    private static String mask(String text, int charactersMax) {
        String bounded = text.length() <= charactersMax ? text : text.substring(0, charactersMax);
        if (!hasSign(bounded)) {
            return bounded;
        }
        String named = NAMED.matcher(bounded).replaceAll("$1" + GONE);
        String tokens = TOKEN.matcher(named).replaceAll(GONE);
        return IN_URL.matcher(tokens).replaceAll("$1" + GONE + "@");
    }

    private static boolean hasSign(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        for (String sign : SIGNS) {
            if (lower.contains(sign)) {
                return true;
            }
        }
        return false;
    }
}

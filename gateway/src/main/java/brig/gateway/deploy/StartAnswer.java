package brig.gateway.deploy;

import brig.protocol.BrigException;
import brig.protocol.VisibleText;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.json.Json;
import brig.protocol.record.Extensible;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code brig-host start} says in one line: where the worker-agent listens, or why there is none.
 *
 * @param socket an absolute path there
 * @param version of the payload that it runs from
 */
@Extensible
record StartAnswer(
        @Nullable String socket,
        @Nullable String version,
        @Nullable Long pid,
        @Nullable String code,
        @Nullable String error,
        @Nullable String mend) {
    private static final Logger log = LoggerFactory.getLogger(StartAnswer.class);
    /** Without what {@code -L} would take for something else. */
    private static final Pattern SOCKET = Pattern.compile("/[^\\p{Cntrl}:%$\\\\]{1,255}");

    private static final int FINDINGS_MAX = 100;
    private static final int VERSION_MAX = 100;

    /** A line of {@code brig-host check}. */
    @Extensible
    private record CheckLine(
            String name,
            String status,
            @Nullable String detail,
            @Nullable String mend) {}

    /** Null if that is no such line. */
    static @Nullable StartAnswer of(Tail out) {
        byte[] line = out.lastObject();
        if (line == null) {
            return null;
        }
        try {
            StartAnswer answer = Json.read(line, StartAnswer.class);
            boolean sound = answer.socket == null
                    ? answer.error != null
                    : SOCKET.matcher(answer.socket).matches();
            return sound ? answer : null;
        } catch (BrigException unreadable) {
            return null;
        }
    }

    /** Why it does not start. */
    Finding refusal() {
        return new Finding(
                "worker-agent",
                FindingStatus.FAIL,
                error == null ? "does not start" : VisibleText.of(error),
                mend == null ? null : VisibleText.of(mend));
    }

    /** Whether it may start later as things are; otherwise something on the host must change. */
    boolean isTransient() {
        return "WORKER_AGENT_UNAVAILABLE".equals(code);
    }

    /** The version for people. */
    String shownVersion() {
        String text = version == null ? "" : VisibleText.of(version);
        return text.length() > VERSION_MAX ? text.substring(0, VERSION_MAX) : text;
    }

    /** The findings of {@code brig-host check}; what is none is left out. */
    static List<Finding> findings(Tail out) {
        List<Finding> findings = new ArrayList<>();
        for (String line : out.objects()) {
            if (findings.size() == FINDINGS_MAX) {
                break;
            }
            try {
                CheckLine one = Json.read(line.getBytes(StandardCharsets.UTF_8), CheckLine.class);
                findings.add(new Finding(
                        VisibleText.of(one.name),
                        status(one.status),
                        one.detail == null ? "" : VisibleText.of(one.detail),
                        one.mend == null ? null : VisibleText.of(one.mend)));
            } catch (BrigException noFinding) {
                log.debug("a line of a check is no finding: {}", noFinding.getMessage());
            }
        }
        return findings;
    }

    private static FindingStatus status(String word) {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "ok" -> FindingStatus.OK;
            case "warning", "warn" -> FindingStatus.WARN;
            default -> FindingStatus.FAIL;
        };
    }
}

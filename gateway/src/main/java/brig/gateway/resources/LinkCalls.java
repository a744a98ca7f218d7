package brig.gateway.resources;

import brig.gateway.connection.Problem;
import brig.gateway.http.Call;
import brig.gateway.webhook.AnswerLinks;
import brig.gateway.webhook.AnswerPage;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.AnswerChoice;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The page behind a link of a notice: shows one ask, and answers it by a form. Whoever has the link may answer, so the
 * page needs no token. To load it changes nothing, because programs that preview links load them.
 *
 * <p>Decision 0152.
 */
public final class LinkCalls {
    /** The name of answers by link, as {@code by} and {@code via}. */
    static final String NAME = "webhook";

    private static final Set<String> FIELDS = Set.of("option", "text");
    private static final int FORM_BYTES_MAX = 4 * AnswerChoice.TEXT_BYTES_MAX;
    private static final String UNKNOWN = "This link does not work (any longer). 'brig asks' lists what waits.";

    private final AnswerLinks links;
    private final WorkerAgent workers;

    public LinkCalls(AnswerLinks links, WorkerAgent workers) {
        this.links = links;
        this.workers = workers;
    }

    /** @param token of the link */
    public void show(Call call, String token) {
        AnswerLinks.Link link = links.find(token);
        if (link == null) {
            send(call, 404, AnswerPage.saying(UNKNOWN));
        } else {
            send(call, 200, AnswerPage.of(link));
        }
    }

    /** Answers the ask with the option or the text of the form. */
    public void answer(Call call, String token) {
        requireOwnPage(call.request());
        call.readForm(FORM_BYTES_MAX, form -> {
            AnswerLinks.Link link = links.find(token);
            if (link == null) {
                send(call, 404, AnswerPage.saying(UNKNOWN));
            } else if (link.end() != null) {
                send(call, 409, AnswerPage.of(link));
            } else {
                answer(call, link, form);
            }
        });
    }

    private void answer(Call call, AnswerLinks.Link link, Map<String, String> form) {
        if (!FIELDS.containsAll(form.keySet())) {
            throw BrigException.invalid("option", "and text are the fields of this form");
        }
        AnswerChoice choice = new AnswerChoice(form.get("option"), form.get("text"), NAME, NAME);
        workers.answer(link.workerId(), link.ask().askId(), choice).whenComplete((answer, failure) -> {
            if (failure == null) {
                send(call, 200, AnswerPage.saying("The agent got your answer."));
                return;
            }
            BrigException refusal = Problem.refusal(failure);
            if (refusal.code() == ErrorCode.ASK_SETTLED) {
                send(call, 409, AnswerPage.saying("Too late: " + refusal.getMessage()));
            } else {
                call.refuse(refusal);
            }
        });
    }

    /**
     * The link is a secret, so another site cannot make a form for it; this keeps a page that learned it from using a
     * visitor's browser. The page has no referrer, so its own forms have the origin {@code null}.
     */
    private static void requireOwnPage(HttpServerRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = request.getHeader("Origin");
        boolean own = site == null ? isOwn(origin, request) : site.equals("same-origin") || site.equals("none");
        if (!own) {
            throw new BrigException(ErrorCode.FORBIDDEN, "only the page behind the link may send its form");
        }
    }

    private static boolean isOwn(@Nullable String origin, HttpServerRequest request) {
        return origin == null
                || origin.equals("null")
                || origin.equalsIgnoreCase("http://" + request.authority())
                || origin.equalsIgnoreCase("https://" + request.authority());
    }

    static void send(Call call, int status, String page) {
        if (call.isGone()) {
            return;
        }
        call.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "text/html; charset=utf-8")
                .putHeader("Content-Security-Policy", AnswerPage.POLICY)
                .putHeader("Cross-Origin-Opener-Policy", "same-origin")
                .putHeader("Cross-Origin-Resource-Policy", "same-origin")
                .putHeader("Referrer-Policy", "no-referrer")
                .putHeader("Cache-Control", "no-store")
                .end(page);
    }
}

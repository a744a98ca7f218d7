package brig.egress.http;

import brig.egress.request.Refusal;
import brig.egress.request.RequestRecord;
import brig.egress.secret.Secrets;
import io.netty.handler.codec.http.HttpRequest;

/** The text for a refused client: what was refused, why, and the remedy. */
public final class Refusals {
    private static final int TEXT_MAX = 500;

    private Refusals() {}

    public static String text(HttpRequest request, RequestRecord record, Refusal refusal, Secrets secrets) {
        String what = record.at().host().isEmpty() ? request.method().name() : record.describe();
        String verb = refusal.isBlock() ? "Brig blocked this request: " : "Brig could not pass on this request: ";
        StringBuilder text = new StringBuilder(verb)
                .append(plain(what, secrets))
                .append('\n')
                .append("Reason: ")
                .append(plain(refusal.rule(), secrets))
                .append('\n');
        if (!refusal.advice().isEmpty()) {
            text.append(plain(refusal.advice(), secrets)).append('\n');
        }
        return text.toString();
    }

    private static String plain(String chosen, Secrets secrets) {
        String scrubbed = secrets.scrub(chosen).replaceAll("[\\p{Cntrl}]", "?");
        return scrubbed.length() <= TEXT_MAX ? scrubbed : scrubbed.substring(0, TEXT_MAX) + "…";
    }
}

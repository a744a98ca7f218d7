package brig.workeragent.worker;

import brig.formats.adapter.Asks.Request;
import brig.protocol.frame.Frame;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Objects;

/**
 * Asks a person about a login that its vendor refuses, once for all requests of a worker that wait for it.
 *
 * <p>Decision 0200.
 */
final class LoginAsks implements EgressSessions.LoginAsker {
    private static final Frame.Ask.Option GO_ON = new Frame.Ask.Option("go_on", "Go on with the login as it is now");
    private static final Frame.Ask.Option END = new Frame.Ask.Option("end", "End the session");

    private final OpenAsks asks;
    private final long waitMs;
    private final Runnable goOn;
    private final Runnable end;

    /**
     * @param goOn tries the requests that wait, whatever was answered
     * @param end ends the session
     */
    LoginAsks(OpenAsks asks, long waitMs, Runnable goOn, Runnable end) {
        this.asks = asks;
        this.waitMs = waitMs;
        this.goOn = goOn;
        this.end = end;
    }

    @Override
    public void ask(String secret, String name, String command, String why) {
        Request request = new Request(
                Frame.Ask.Kind.LOGIN,
                null,
                secret,
                null,
                "The login " + name + " was refused: sign in again with '" + command + "', then go on",
                JsonObject.EMPTY.with("login", name).with("why", why),
                List.of(GO_ON, END),
                false,
                GO_ON.id());
        asks.openNow(request, waitMs, (answered, waits) -> handleSettled(answered));
    }

    private void handleSettled(Frame.Answered answered) {
        if (END.id().equals(answered.option())) {
            end.run();
        }
        goOn.run();
    }

    @Override
    public void handleBack(String secret) {
        for (Frame.Ask ask : asks.list()) {
            if (ask.kind() == Frame.Ask.Kind.LOGIN && secret.equals(ask.nativeId())) {
                asks.settle(ask.askId(), new Frame.Answered(ask.askId(), GO_ON.id(), Frame.Answered.Reason.POLICY));
            }
        }
    }

    @Override
    public List<String> asked() {
        return asks.list().stream()
                .filter(ask -> ask.kind() == Frame.Ask.Kind.LOGIN)
                .map(ask -> Objects.requireNonNull(ask.nativeId()))
                .toList();
    }
}

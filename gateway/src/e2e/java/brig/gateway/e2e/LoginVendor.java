package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/**
 * A vendor with rotating refresh tokens. A second use of one revokes the login, unless its successor was never used: then
 * the answer to the first use was lost. Requests to its model show what they carried.
 */
final class LoginVendor implements AutoCloseable {
    /** Tokens end so soon that they are renewed after a second. */
    private static final int SOON_SECONDS = 301;

    private final HttpServer server;
    private final String login;
    private int rotation;
    private String usedUp = "";
    private int renewals;
    private boolean forgives = true;
    private boolean revoked;
    private int refused;
    /** From this one on, tokens last an hour. */
    private int lastingRotation = Integer.MAX_VALUE;

    private volatile boolean enough;
    private volatile CountDownLatch asked = new CountDownLatch(0);
    private volatile CountDownLatch mayAnswer = new CountDownLatch(0);

    /** @param login distinguishes its tokens */
    LoginVendor(String login) throws IOException {
        this.login = login;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/oauth/token", this::token);
        server.createContext("/", this::model);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    synchronized String access() {
        return "sk-ant-oat01-planted-" + login + "-access-" + rotation;
    }

    private synchronized String refresh() {
        return "sk-ant-ort01-planted-" + login + "-refresh-" + rotation;
    }

    /** What is common to all its tokens. */
    String planted() {
        return "01-planted-" + login;
    }

    /** The vendor's own file, with tokens that end soon. */
    synchronized byte[] credentials() {
        return Json.write(Map.of(
                "claudeAiOauth",
                Map.of(
                        "accessToken",
                        access(),
                        "refreshToken",
                        refresh(),
                        "expiresAt",
                        System.currentTimeMillis() + SOON_SECONDS * 1000,
                        "subscriptionType",
                        "max")));
    }

    private void token(HttpExchange exchange) throws IOException {
        JsonObject said = JsonObject.read(exchange.getRequestBody().readAllBytes());
        JsonObject answer;
        int status;
        synchronized (this) {
            String brought = said.text("refresh_token", "");
            boolean again = forgives && brought.equals(usedUp);
            revoked |= !brought.equals(refresh()) && !again;
            if (!revoked) {
                renewals++;
                usedUp = brought;
                rotation++;
            }
            status = revoked ? 400 : 200;
            answer = revoked
                    ? JsonObject.of(Map.of("error", "invalid_grant", "error_description", "bad token " + brought))
                    : JsonObject.of(Map.of(
                            "access_token", access(),
                            "refresh_token", refresh(),
                            "expires_in", rotation >= lastingRotation ? 3600 : SOON_SECONDS));
        }
        asked.countDown();
        try {
            mayAnswer.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        answer(exchange, status, Json.write(answer));
    }

    private void model(HttpExchange exchange) throws IOException {
        String carried = String.valueOf(exchange.getRequestHeaders().getFirst("authorization"));
        boolean good;
        synchronized (this) {
            String access = access();
            String before = access.replaceFirst("\\d+$", String.valueOf(rotation - 1));
            good = !revoked && (carried.equals("Bearer " + access) || carried.equals("Bearer " + before));
            refused += good ? 0 : 1;
            if (carried.equals("Bearer " + access)) {
                usedUp = "";
            }
        }
        exchange.getResponseHeaders().set("x-carried", carried);
        answer(exchange, good ? 200 : 401, ((enough ? "enough " : "go on ") + carried + "\n").getBytes(UTF_8));
    }

    private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    synchronized int renewals() {
        return renewals;
    }

    synchronized int refused() {
        return refused;
    }

    synchronized boolean revoked() {
        return revoked;
    }

    /** Takes the login back. */
    synchronized void revoke() {
        revoked = true;
    }

    /** Lets the person sign in again: {@link #credentials} are good ones. */
    synchronized void takeBack() {
        revoked = false;
        rotation += 10;
    }

    /** A lost answer costs the login from now on. */
    synchronized void forgiveNothing() {
        forgives = false;
    }

    /** That many renewals give tokens which end soon; the next ones last an hour. */
    synchronized void lastAfter(int renewals) {
        lastingRotation = renewals + 1;
    }

    /** Its agents end. */
    void beEnough() {
        enough = true;
    }

    /** Answers to renewals wait. @return counted down when one was asked for */
    CountDownLatch hold() {
        mayAnswer = new CountDownLatch(1);
        asked = new CountDownLatch(1);
        return asked;
    }

    void release() {
        mayAnswer.countDown();
    }

    @Override
    public void close() {
        release();
        server.stop(0);
    }
}

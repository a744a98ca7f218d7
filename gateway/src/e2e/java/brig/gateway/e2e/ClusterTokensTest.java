package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.workeragent.TestFolders;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever is known to one gateway of a cluster is known to all, as behind a load balancer that asks them in turn. */
@Timeout(4 * Await.DEADLINE_SECONDS)
@Tag("slow")
class ClusterTokensTest {
    private static final String PUBLIC = "http://127.0.0.1:1";

    private static Path folder;
    private static IssuerServer issuer;
    private static ClusterSite site;
    private static Product one;
    private static Product two;
    private static Product three;

    @BeforeAll
    static void start() throws IOException {
        folder = Files.createTempDirectory("brig-cluster-tokens-");
        issuer = new IssuerServer();
        site = new ClusterSite(1, 3, 0, issuer.settings(folder, PUBLIC));
        one = site.gateways.get(0);
        two = site.gateways.get(1);
        three = site.gateways.get(2);
    }

    @AfterAll
    static void stop() throws IOException {
        site.close();
        issuer.close();
        TestFolders.delete(folder);
    }

    /** What a browser keeps for one address, which each gateway here has for itself: cookies have its port in their name. */
    private static String cookie(String setCookie, Product of) {
        String pair = setCookie.split(";", 2)[0];
        return pair.replaceFirst("brig-\\d+", "brig-" + URI.create(of.url()).getPort());
    }

    private static HttpRequest.Builder own(Product at, String path, String setCookie, String key) throws IOException {
        return at.web()
                .with("")
                .request(path)
                .header("Cookie", cookie(setCookie, at))
                .header("Brig-Key", key)
                .header("Origin", at.url())
                .header("Content-Type", "application/json");
    }

    private static Web.Answer ask(HttpRequest.Builder request) throws IOException {
        return one.web().with("").send(request);
    }

    @Test
    void shouldSignAPersonInAndOutWhicheverGatewaysAnswer() throws Exception {
        issuer.issuer().is("ann@example.org", "engineers");
        Web.Answer begun = one.web().with("").get("/sign-in/oidc");
        assertEquals(303, begun.status(), () -> begun.response().body());
        Web.Answer agreed = ask(HttpRequest.newBuilder(URI.create(begun.header("Location"))));
        String back = agreed.header("Location");
        assertTrue(back.startsWith(PUBLIC + "/sign-in/oidc/callback?"), back);

        Web.Answer known = ask(HttpRequest.newBuilder(URI.create(back.replace(PUBLIC, two.url())))
                .header("Cookie", cookie(begun.header("Set-Cookie"), two)));
        assertEquals(303, known.status(), () -> known.response().body());
        String link = known.header("Location");
        String ticket = link.substring(link.indexOf('#') + 1, link.length() - 1);

        Web.Answer in = ask(three.web()
                .with(ticket)
                .request("/api/v1/sign-in")
                .header("Origin", three.url())
                .POST(HttpRequest.BodyPublishers.noBody()));
        assertEquals(201, in.status(), () -> in.response().body());
        String key = in.json().text("key", "");
        String kept = in.header("Set-Cookie");
        Web.Answer again = ask(two.web()
                .with(ticket)
                .request("/api/v1/sign-in")
                .header("Origin", two.url())
                .POST(HttpRequest.BodyPublishers.noBody()));
        assertEquals(401, again.status(), "the ticket is used up everywhere");

        for (Product at : site.gateways) {
            Await.until(
                    "the person is known",
                    () -> ask(own(at, "/api/v1/spawns", kept, key)).status() == 200);
        }
        Web.Answer stream = ask(own(one, "/api/v1/tickets", kept, key).POST(HttpRequest.BodyPublishers.ofString("{}")));
        assertEquals(201, stream.status(), () -> stream.response().body());
        try (Socket socket =
                two.web().with("").socket("/api/v1/ws?ticket=" + stream.json().text("ticket", ""))) {
            assertEquals(
                    200, ask(own(three, "/api/v1/sign-in", kept, key).DELETE()).status());
            String line = socket.line();
            while (line != null) {
                line = socket.line();
            }
            for (Product at : site.gateways) {
                Await.until(
                        "the person is signed out",
                        () -> ask(own(at, "/api/v1/spawns", kept, key)).code().equals("ATTACH_AUTH_EXPIRED"));
            }
        }
    }

    @Test
    void shouldKnowACaptainEverywhereUntilOneRevokesIt() throws Exception {
        Run created = one.brig("token", "create", "--role", "captain", "--captain", "alice", "--json");
        assertEquals(0, created.exitCode(), created::err);
        String token = created.json().text("token", "");
        String id = created.json().text("id", "");
        for (Product at : site.gateways) {
            Await.until(
                    "it is good",
                    () -> at.web().with(token).get("/api/v1/spawns").status() == 200);
        }
        two.kill();
        two.serve();
        assertEquals(200, two.web().with(token).get("/api/v1/spawns").status(), "known before it serves anybody");
        assertEquals(0, three.brig("token", "revoke", id).exitCode());
        for (Product at : site.gateways) {
            Await.until(
                    "it is revoked",
                    () -> at.web().with(token).get("/api/v1/spawns").code().equals("ATTACH_AUTH_EXPIRED"));
        }
        assertNotEquals(one.adminToken(), two.adminToken());
        assertEquals(
                403,
                two.web().with(one.adminToken()).get("/api/v1/spawns").status(),
                "an admin token is of one gateway");
    }
}

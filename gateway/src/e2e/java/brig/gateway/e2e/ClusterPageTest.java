package brig.gateway.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The page of several gateways at one address, behind which each connection goes to another one. */
@Timeout(4 * Await.DEADLINE_SECONDS)
@Tag("slow")
class ClusterPageTest {
    private static final double PATIENCE_MS = 60_000;

    /** A load balancer without sticky sessions. */
    private static final class Balancer implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final List<Integer> ports = new ArrayList<>();
        private final List<Socket> sockets = new CopyOnWriteArrayList<>();
        private volatile int connections;

        Balancer(List<Product> gateways) throws IOException {
            gateways.forEach(gateway -> ports.add(URI.create(gateway.url()).getPort()));
            Thread.ofVirtual().start(this::accept);
        }

        String url() {
            return "http://127.0.0.1:" + server.getLocalPort();
        }

        private void accept() {
            try {
                for (int next = 0; ; next++) {
                    Socket client = server.accept();
                    Socket gateway = new Socket();
                    sockets.addAll(List.of(client, gateway));
                    gateway.connect(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.get(next % ports.size())));
                    connections = next + 1;
                    Thread.ofVirtual().start(() -> copy(client, gateway));
                    Thread.ofVirtual().start(() -> copy(gateway, client));
                }
            } catch (IOException closed) {
                // The test is over.
            }
        }

        private static void copy(Socket from, Socket to) {
            try (from;
                    to) {
                from.getInputStream().transferTo(to.getOutputStream());
            } catch (IOException gone) {
                // One of the two has closed.
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void shouldShowASharedSessionWhicheverGatewaysAnswer() throws Exception {
        try (ClusterSite site = new ClusterSite(1, 3, 1);
                Balancer balancer = new Balancer(site.gateways);
                Chromium chromium = Chromium.start();
                Page page = chromium.page(Chromium.screen(1360, 820))) {
            Product owner = site.awaitOwner("w1");
            String id = ClusterSessions.begin(owner, "w1");
            for (Product gateway : site.gateways) {
                ClusterSessions.awaitKnown(gateway, id);
            }
            String link = owner.ask("{\"action\":\"open\"}").text("url", "");
            page.navigate(balancer.url() + "/" + link.substring(link.indexOf('#')));
            assertThat(page.locator(".me")).containsText("admin");
            page.navigate(balancer.url() + "/#/session/" + id);
            assertThat(page.locator(".log"))
                    .containsText("line 600", new LocatorAssertions.ContainsTextOptions().setTimeout(PATIENCE_MS));
            page.reload();
            assertThat(page.locator(".me")).containsText("admin");
            assertThat(page.locator(".log"))
                    .containsText("line 600", new LocatorAssertions.ContainsTextOptions().setTimeout(PATIENCE_MS));
            assertTrue(balancer.connections > 2, "more than one gateway was asked");
            assertEquals(List.of(), chromium.faults());
        }
    }
}

package brig.workeragent.worker;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import brig.egress.link.WallSocket;
import brig.egress.policy.EgressPolicy.ModelRoute;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Reason;
import brig.protocol.control.TestRouteAnswer;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.profile.Policies;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WalledProcess;
import brig.workeragent.wall.Walls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tests a model route by requesting the server's list of models as an agent would, from inside a wall with that agent's
 * egress. It costs nothing at the provider and verifies address, key and rules. Blocks; thread-safe.
 *
 * <p>Decision 0119.
 */
public final class RouteTrial {
    private static final Logger LOG = LoggerFactory.getLogger(RouteTrial.class);
    private static final int ANSWER_BYTES_MAX = 16 * 1024;
    private static final int TEXT_MAX = 400;
    private static final long WAIT_MS = 20_000;
    private static final Pattern HEAD =
            Pattern.compile("HTTP/1\\.[01] (\\d{3})[^\\n]*\\n.*?\\r?\\n\\r?\\n", Pattern.DOTALL);
    /** Pure bash, as other programs in the host's /usr are unknown. */
    private static final String SCRIPT = """
            exec 3<>/dev/tcp/127.0.0.1/%d
            printf 'GET /%%s/v1/models HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nAccept: application/json\\r\\n' "$0" >&3
            printf 'anthropic-version: 2023-06-01\\r\\nConnection: close\\r\\n\\r\\n' >&3
            while IFS= read -r line <&3 || [ -n "$line" ]; do printf '%%s\\n' "$line"; done
            """.formatted(WallSocket.MODEL_PORT);

    private final Walls walls;
    private final AgentProfiles profiles;
    private final Policies policies;
    private final Path newWorkspaces;

    /** @param newWorkspaces where the folder for the trial is created */
    public RouteTrial(Walls walls, AgentProfiles profiles, Policies policies, Path newWorkspaces) {
        this.walls = walls;
        this.profiles = profiles;
        this.policies = policies;
        this.newWorkspaces = newWorkspaces;
    }

    /**
     * Tests a route.
     *
     * @throws BrigException {@code NOT_FOUND} if no agent needs a route of that name, {@code MODEL_ROUTE_MISSING} if
     *     none is configured, {@code AGENT_SERVER_FAILED} without an answer
     */
    public TestRouteAnswer run(String route) throws InterruptedException {
        AgentProfiles.Named agent = profiles.usable().stream()
                .filter(one -> one.profile().models().contains(route))
                .findFirst()
                .orElseThrow(() -> new BrigException(
                        ErrorCode.NOT_FOUND,
                        "no agent asks a model by the route '" + route
                                + "'; there are "
                                + profiles.usable().stream()
                                        .flatMap(one -> one.profile().models().stream())
                                        .distinct()
                                        .toList()));
        Confinement may = policies.find(null, agent.profile()).confinement();
        ModelRoute leads = Objects.requireNonNull(may.egress().modelRoutes().get(route));
        String id = Ids.newSpawnId(System.currentTimeMillis());
        Path folder = walls.workspace(newWorkspaces.resolve(".route-" + id));
        Confinement bare =
                new Confinement(true, List.of(), Set.of("PATH"), List.of(), may.limits(), false, may.egress());
        try (Wall wall = walls.build(new Walls.Plan(id, agent.name(), folder, Map.of(), bare))) {
            String said = said(wall.start(List.of("/bin/bash", "-c", SCRIPT, route), null, false, null));
            Matcher head = HEAD.matcher(said);
            if (!head.lookingAt()) {
                throw new BrigException(ErrorCode.AGENT_SERVER_FAILED, "nothing came back from " + leads.baseUrl());
            }
            String text = said.substring(head.end()).strip();
            return new TestRouteAnswer(
                    route,
                    leads.baseUrl(),
                    Integer.parseInt(head.group(1)),
                    text.substring(0, Math.min(text.length(), TEXT_MAX)));
        } finally {
            remove(folder);
        }
    }

    private static String said(WalledProcess process) {
        var _ = process.end().orTimeout(WAIT_MS, TimeUnit.MILLISECONDS).whenComplete((ended, failure) -> {
            if (failure instanceof TimeoutException) {
                process.kill();
            }
        });
        try (InputStream stdout = process.stdout().stream();
                InputStream stderr = process.stderr().stream()) {
            String said = new String(stdout.readNBytes(ANSWER_BYTES_MAX), ISO_8859_1);
            process.kill();
            LOG.debug("the test of a route reported: {}", new String(stderr.readNBytes(TEXT_MAX), ISO_8859_1));
            process.end().join();
            return said;
        } catch (IOException e) {
            throw new BrigException(ErrorCode.AGENT_SERVER_FAILED, "the answer cannot be read: " + Reason.withFile(e));
        }
    }

    private static void remove(Path folder) {
        try {
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            LOG.warn("an empty folder stays: {}", e.toString());
        }
    }
}

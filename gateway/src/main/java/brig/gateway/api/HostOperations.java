package brig.gateway.api;

import static brig.gateway.api.Operation.named;
import static io.vertx.core.http.HttpMethod.DELETE;
import static io.vertx.core.http.HttpMethod.GET;
import static io.vertx.core.http.HttpMethod.POST;
import static io.vertx.core.http.HttpMethod.PUT;
import static java.util.concurrent.CompletableFuture.completedFuture;

import brig.gateway.http.Who;
import brig.protocol.api.ClusterView;
import brig.protocol.api.HostView;
import brig.protocol.api.SandboxView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.DoctorAnswer;
import java.util.List;

/** The operations on hosts, sandboxes and gateways; a part of {@link Operations}. */
final class HostOperations {
    private static final String HOST = "/api/v1/hosts/:name";

    static final List<Operation<?, ?>> ALL = List.of(
            named(
                            "listSandboxes",
                            SpawnerRequest.Sandboxes.class,
                            SandboxView.SandboxList.class,
                            (calls, caller, in) -> calls.sandboxes().list(caller, in))
                    .at(GET, "/api/v1/sandboxes", Who.STARTER)
                    .action(),
            named(
                            "listHosts",
                            SpawnerRequest.Hosts.class,
                            HostView.HostList.class,
                            (calls, caller, in) -> completedFuture(calls.hosts().list(caller)))
                    .at(GET, "/api/v1/hosts", Who.STARTER)
                    .action(),
            named(
                            "clusterStatus",
                            SpawnerRequest.Cluster.class,
                            ClusterView.class,
                            (calls, caller, in) ->
                                    completedFuture(calls.cluster().status()))
                    .at(GET, "/api/v1/cluster", Who.ADMIN)
                    .action(),
            named(
                            "addHost",
                            SpawnerRequest.AddHost.class,
                            HostView.class,
                            (calls, caller, in) -> calls.hosts().add(in))
                    .withBody(PUT, HOST, Who.ADMIN)
                    .action(),
            named(
                            "checkHost",
                            SpawnerRequest.CheckHost.class,
                            DoctorAnswer.class,
                            (calls, caller, in) -> calls.hosts().check(in))
                    .at(POST, HOST + "/check", Who.ADMIN)
                    .action(),
            named(
                            "removeHost",
                            SpawnerRequest.RemoveHost.class,
                            HostView.class,
                            (calls, caller, in) -> calls.hosts().remove(in))
                    .at(DELETE, HOST, Who.ADMIN)
                    .action(),
            named(
                            "upgradeHost",
                            SpawnerRequest.UpgradeHost.class,
                            HostView.class,
                            (calls, caller, in) -> calls.hosts().upgrade(in))
                    .at(POST, HOST + "/upgrade", Who.ADMIN)
                    .action());

    private HostOperations() {}
}

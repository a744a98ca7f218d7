package brig.gateway.resources;

import brig.gateway.host.Hosts;
import brig.protocol.api.HostView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.DoctorAnswer;
import java.util.concurrent.CompletionStage;

/** The operator's view of other hosts. */
public final class HostCalls {
    private final Hosts hosts;

    public HostCalls(Hosts hosts) {
        this.hosts = hosts;
    }

    public HostView.HostList list() {
        return new HostView.HostList(hosts.list());
    }

    /** Answers when the host is known; its state then says how the link goes. */
    public CompletionStage<HostView> add(SpawnerRequest.AddHost in) {
        return hosts.add(in.name(), in.settings());
    }

    public CompletionStage<DoctorAnswer> check(SpawnerRequest.CheckHost in) {
        return hosts.check(in.name()).thenApply(DoctorAnswer::new);
    }

    public CompletionStage<HostView> remove(SpawnerRequest.RemoveHost in) {
        return hosts.remove(in.name(), in.force());
    }

    /** Answers when the payload runs there; at once where there is no link. */
    public CompletionStage<HostView> upgrade(SpawnerRequest.UpgradeHost in) {
        return hosts.upgrade(in.name());
    }
}

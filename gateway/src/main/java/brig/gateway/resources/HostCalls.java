package brig.gateway.resources;

import brig.gateway.host.Hosts;
import brig.gateway.http.Caller;
import brig.protocol.api.HostView;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.control.DoctorAnswer;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Other hosts: what captains may choose, and what the operator sees and does. */
public final class HostCalls {
    private final Hosts hosts;

    public HostCalls(Hosts hosts) {
        this.hosts = hosts;
    }

    /** Captains see what they may choose. */
    public HostView.HostList list(Caller caller) {
        List<HostView> all = hosts.list();
        return new HostView.HostList(
                caller.access().isAdmin()
                        ? all
                        : all.stream().map(HostView::forCaptain).toList());
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

package brig.gateway.host;

import brig.gateway.deploy.FakeProcesses;
import brig.gateway.deploy.Payload;
import brig.gateway.deploy.ProgramEnd;
import brig.gateway.joint.FarEnd;
import brig.gateway.joint.LocalSockets;
import brig.gateway.time.FakeTime;
import brig.gateway.worker.AgentLinks;
import brig.gateway.worker.ControlLink;
import brig.gateway.worker.Reach;
import brig.gateway.worker.WorkerAgent;
import brig.protocol.api.HostEgress;
import brig.protocol.api.HostSettings;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A link with programs, sockets and a clock of a test. */
final class LinkBench {
    static final String PAYLOAD = "1.0-0123456789abcdef";
    static final String SOCKET = "/home/u/.brig/gateways/abc/run/w/link.sock";
    static final String LOOK = """
            Welcome to the machine
            brig-home /home/u
            brig-system Linux
            brig-machine x86_64
            brig-libc glibc 2.36
            brig-free-kib 9999999
            """;
    static final String DEPLOYED = LOOK + "brig-payload " + PAYLOAD + "\nbrig-end\n";
    static final String EMPTY = LOOK + "brig-end\n";
    static final String STARTED = "{\"socket\":\"" + SOCKET + "\",\"version\":\"1.0\",\"pid\":7}\n";

    final FakeTime time = new FakeTime();
    final FakeProcesses processes = new FakeProcesses();
    final List<String> cleared = new ArrayList<>();
    final List<String> told = new ArrayList<>();
    final HostLink link;
    boolean isNeeded;
    boolean joined;
    boolean jointClosed;
    Consumer<String> jointEnded = why -> {};
    int dropped;
    private @Nullable Reach reach;

    ControlLink.@Nullable Listener control;
    private long lastEpoch;

    LinkBench() {
        this("");
    }

    LinkBench(String controlPath) {
        this(controlPath, false);
    }

    LinkBench(String controlPath, boolean tunnelOnly) {
        HostSettings settings = new HostSettings(
                "user@box", List.of("-p", "2222"), List.of(), 0, HostEgress.THERE, 0, controlPath, tunnelOnly);
        HostLink.Services services = new HostLink.Services(
                processes,
                new Sockets(),
                new OnePayload(),
                time,
                time,
                this::nextEpoch,
                this::open,
                "0123456789ab",
                () -> isNeeded);
        link = new HostLink(
                "box",
                new SshCommands(settings, Path.of("/run/h/box.ctl"), Path.of("/run/h/box.sock")),
                services,
                new Told());
        processes.script("-O exit", 255, "", "Control socket connect: No such file or directory");
        processes.script("-O check", 0, "", "Master running (pid=1)");
        processes.script("-O forward", 0, "", "");
        processes.script("-O cancel", 0, "", "");
        processes.script("brig-system", 0, DEPLOYED, "");
        processes.script("'check'", 0, "{\"name\":\"disk\",\"status\":\"ok\",\"detail\":\"much\"}\n", "");
        processes.script("'sweep'", 0, "", "");
        processes.script("'start'", 0, STARTED, "");
    }

    private CompletionStage<Long> nextEpoch(String host) {
        lastEpoch = Math.max(time.nowMs(), lastEpoch + 1);
        return CompletableFuture.completedFuture(lastEpoch);
    }

    private AgentLinks.AgentLink open(Path socket, Reach newReach, ControlLink.Listener listener) {
        reach = newReach;
        control = listener;
        WorkerAgent agent = (WorkerAgent) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {WorkerAgent.class}, (proxy, method, arguments) -> {
                    throw new AssertionError(method.getName());
                });
        return new AgentLinks.AgentLink(agent, () -> dropped++, () -> told.add("closed"));
    }

    /** Whether the control link may connect. */
    boolean isOpen() {
        return reach != null && reach.isUp();
    }

    long epoch() {
        Long epoch = reach == null ? null : reach.epoch();
        return epoch == null ? 0 : epoch;
    }

    /** Begins, up to where the control link may connect. */
    LinkBench begin() {
        link.begin();
        processes.settle();
        return this;
    }

    /** Begins, and the worker-agent answers. */
    LinkBench up() {
        begin();
        control().handleUp("instance");
        return this;
    }

    ControlLink.Listener control() {
        if (control == null) {
            throw new AssertionError("no control link was opened");
        }
        return control;
    }

    /** The program that holds the link. */
    FakeProcesses.Started master() {
        return processes.last(" -M ");
    }

    String state() {
        return link.status().state().name();
    }

    String reason() {
        return String.valueOf(link.status().reason());
    }

    private final class Told implements Hosts.Listener {
        @Override
        public void handleKnown(String host, WorkerAgent agent) {
            told.add("known");
        }

        @Override
        public void handleForgotten(String host) {
            told.add("forgotten");
        }

        @Override
        public void handleUp(String host, String instance) {
            told.add("up " + host + " " + instance);
        }

        @Override
        public void handleDown(String host) {
            told.add("down " + host);
        }
    }

    private final class Sockets implements LocalSockets {
        @Override
        public CompletionStage<Void> clear(Path socket) {
            cleared.add(socket.getFileName() + " after " + processes.started.size());
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Joint> join(Path socket, FarEnd.Opener far, Consumer<String> ended) {
            joined = true;
            jointEnded = ended;
            told.add("joined "
                    + String.join(" ", ((ProgramEnd.Start) far).command()).replaceAll(".*bin/brig-host", "brig-host"));
            return CompletableFuture.completedFuture(() -> jointClosed = true);
        }
    }

    private static final class OnePayload implements Payload {
        @Override
        public CompletionStage<String> name() {
            return CompletableFuture.completedFuture(PAYLOAD);
        }

        @Override
        public CompletionStage<Payload.Archive> archive() {
            return CompletableFuture.completedFuture(new Payload.Archive(Path.of("/state/payload.tar.gz"), 1000));
        }

        @Override
        public String machine() {
            return "x86_64";
        }
    }
}

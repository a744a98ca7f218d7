package brig.gateway.cluster;

import brig.protocol.control.ControlRequest;
import brig.protocol.control.Fork;
import brig.protocol.control.WorkerLine;
import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Range;
import brig.protocol.record.Tagged;
import brig.protocol.spawn.SpawnRequest;
import org.jspecify.annotations.Nullable;

/** What a gateway asks of the owner of a host; the answer is a {@link Reply}. */
@Tagged("ask")
sealed interface Question {
    String host();

    /** Asks the worker-agent of the host, whose answer is passed on. */
    record Control(String host, ControlRequest request) implements Question {}

    /** Tells a worker something: a message, keys, a size, a cancel. */
    record Tell(String host, String spawnId, WorkerLine line) implements Question {}

    /** Ends a spawn. */
    record Terminate(String host, String spawnId, String reason, String by) implements Question {}

    /** Begins a spawn: {@link Begun}. */
    @Extensible
    record Begin(
            SpawnRequest request,
            SpawnRequest.Asker asker,
            @OmitEmpty @Range long waitMs,
            @Nullable Fork fork) implements Question {
        @Override
        public String host() {
            String host = request.place().host();
            return host == null ? "" : host;
        }
    }

    /** The spawn that began. */
    record Begun(String spawnId, String taskId, String captainToken, String watcherToken) {}
}

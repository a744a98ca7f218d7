package brig.gateway.cluster;

import brig.gateway.spawn.Recorders;
import brig.gateway.spawn.Spawn;
import brig.gateway.stream.StreamLog;
import brig.gateway.stream.StreamRecorder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Records the frames of workers on shared hosts: on disk, as a copy of this gateway's own, and, by the owner, in the
 * shared log, which alone counts for the worker-agent. The spawns of other hosts are recorded as by a gateway alone.
 *
 * <p>Owned by the event loop.
 */
final class SharedRecorders implements Recorders {
    /**
     * Where an owner goes on.
     *
     * @param term of the owner
     * @param position of the last run of the spawn in the shared log, 0 for none
     * @param nextSeq the number after that run's last frame
     */
    record Start(long term, long position, long nextSeq) {}

    /** What is known of the owners. */
    interface Owners {
        /** Null if this gateway is not the owner of that spawn's host. */
        @Nullable
        Start start(String host, String spawnId);

        /** Another gateway writes frames of a worker on that host. */
        void handleStale(String host);
    }

    private final class Recording {
        final Spawn spawn;
        final StreamLog log;
        LongConsumer acknowledge;
        Runnable finished;
        private final StreamRecorder recorder;
        private @Nullable Publisher publisher;
        /** Up to there it is in the shared log. */
        private long durableSeq;

        private boolean recorded;

        Recording(Spawn spawn, LongConsumer acknowledge, Runnable finished) {
            this.spawn = spawn;
            this.log = spawn.log();
            this.acknowledge = acknowledge;
            this.finished = finished;
            this.recorder = new StreamRecorder(log, services.clock(), seq -> {}, () -> {
                recorded = true;
                checkFinished();
            });
        }

        void begin() {
            recorder.start();
        }

        void publish(String host, Start start) {
            unpublish();
            Publisher begun = new Publisher(
                    services,
                    new Publisher.Place(host, spawn.spawnId(), start.term()),
                    start.position(),
                    seq -> {
                        durableSeq = seq;
                        acknowledge.accept(seq);
                    },
                    this::handlePublished,
                    () -> owners.handleStale(host));
            publisher = begun;
            durableSeq = Math.max(durableSeq, start.nextSeq() - 1);
            begun.start(log, start.nextSeq());
        }

        private void handlePublished() {
            publisher = null;
            checkFinished();
        }

        void handleShared(long seq) {
            durableSeq = Math.max(durableSeq, seq);
            checkFinished();
        }

        void unpublish() {
            if (publisher != null) {
                publisher.close();
                publisher = null;
            }
        }

        /** It ended here, but not for the other gateways. */
        boolean isTail() {
            return log.isEnded() && durableSeq < log.lastSeq();
        }

        private void checkFinished() {
            if (recorded && publisher == null && !isTail() && recordings.remove(log, this)) {
                finished.run();
            }
        }
    }

    private final Publisher.Services services;
    private final Predicate<String> shared;
    private final Owners owners;
    private final Recorders alone;
    private final Map<StreamLog, Recording> recordings = new HashMap<>();

    /** @param shared whether several gateways share a host of that name */
    SharedRecorders(Publisher.Services services, Predicate<String> shared, Owners owners) {
        this.services = services;
        this.shared = shared;
        this.owners = owners;
        this.alone = Recorders.onDisk(services.clock());
    }

    @Override
    public void begin(Spawn spawn, LongConsumer acknowledge, Runnable finished) {
        String host = spawn.host();
        if (host == null || !shared.test(host)) {
            alone.begin(spawn, acknowledge, finished);
            return;
        }
        Recording known = recordings.get(spawn.log());
        if (known == null) {
            known = new Recording(spawn, acknowledge, finished);
            recordings.put(spawn.log(), known);
            known.begin();
        } else {
            known.acknowledge = acknowledge;
            known.finished = finished;
        }
        Start start = known.publisher == null ? owners.start(host, spawn.spawnId()) : null;
        if (start != null) {
            known.publish(host, start);
        }
    }

    /** Another gateway wrote frames of that log to the shared one, up to that number. */
    void handleShared(StreamLog log, long seq) {
        Recording recording = recordings.get(log);
        if (recording != null) {
            recording.handleShared(seq);
        }
    }

    /** Whether frames of that log may still be on their way to the shared one, or to the disk. */
    boolean isOpen(StreamLog log) {
        return recordings.containsKey(log);
    }

    /** Spawns that ended here, while this gateway owned their host, and did not yet for the other gateways. */
    List<String> tails(String host) {
        return recordings.values().stream()
                .filter(recording -> host.equals(recording.spawn.host()) && recording.isTail())
                .map(recording -> recording.spawn.spawnId())
                .toList();
    }

    /** This gateway owns the host from now on. */
    void publish(String host) {
        recordings.values().stream()
                .filter(recording -> host.equals(recording.spawn.host()))
                .toList()
                .forEach(recording -> {
                    Start start = owners.start(host, recording.spawn.spawnId());
                    if (start != null) {
                        recording.publish(host, start);
                    }
                });
    }

    /** Writes all that waits: what the worker-agent was told is durable may be missing where the shared log is restored. */
    void writeAll() {
        List.copyOf(recordings.values()).forEach(recording -> recording.recorder.writeAll());
    }

    /** This gateway owns the host no more. */
    void unpublish(String host) {
        recordings.values().stream()
                .filter(recording -> host.equals(recording.spawn.host()))
                .toList()
                .forEach(Recording::unpublish);
    }
}

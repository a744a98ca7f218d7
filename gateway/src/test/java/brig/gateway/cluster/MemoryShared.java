package brig.gateway.cluster;

import brig.gateway.time.FakeTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What gateways share, in memory and under a test's time, with the rules of JetStream: writes are compared with the last
 * revision of a key or the last position of a spawn, and repeated ones are recognised. Answers take their time, and on demand
 * some are lost, before or after the effect.
 */
final class MemoryShared {
    private static final long ANSWER_MS = 2_000;

    private final FakeTime time;
    private final Random random;
    /** Of a hundred calls, so many lose their answer. */
    int losesPercent;
    /** No disk has room: what would be written is refused. */
    boolean full;

    final Table owners = new Table();
    final Table spawns = new Table();
    final Table requests = new Table();
    final Table tokens = new Table();
    final Map<String, List<SharedLog.Placed>> logs = new HashMap<>();
    private final Map<String, Function<byte[], CompletionStage<byte[]>>> gateways = new HashMap<>();
    private final Map<String, Set<End.Watching>> watchers = new HashMap<>();
    private long position;
    /** Is told of each run that is written. */
    BiConsumer<String, Run> written = (host, run) -> {};

    /** Is told of each question whether all was told. */
    Runnable settled = () -> {};

    MemoryShared(FakeTime time, Random random) {
        this.time = time;
        this.random = random;
    }

    /** All frames of a spawn that were ever written, run by run. */
    List<Run> runs(String host, String spawnId) {
        return logs.getOrDefault(host, List.of()).stream()
                .map(SharedLog.Placed::run)
                .filter(run -> run.spawnId().equals(spawnId))
                .toList();
    }

    /** @return puts everything back as it is now, also positions and revisions */
    Runnable backup() {
        List<Runnable> parts = new ArrayList<>(List.of(owners, spawns, requests, tokens).stream()
                .map(Table::backup)
                .toList());
        Map<String, List<SharedLog.Placed>> kept = new HashMap<>();
        logs.forEach((host, runs) -> kept.put(host, List.copyOf(runs)));
        long its = position;
        parts.add(() -> {
            logs.clear();
            kept.forEach((host, runs) -> logs.put(host, new ArrayList<>(runs)));
            position = its;
        });
        return () -> parts.forEach(Runnable::run);
    }

    static final class Table {
        final Map<String, SharedTable.Entry> entries = new LinkedHashMap<>();
        final Map<Object, Watching> watchers = new LinkedHashMap<>();
        long revision;
        /** Is told of each value that replaces another. */
        BiConsumer<SharedTable.Entry, SharedTable.Entry> replaced = (before, entry) -> {};

        private Runnable backup() {
            Map<String, SharedTable.Entry> kept = new LinkedHashMap<>(entries);
            long its = revision;
            return () -> {
                entries.clear();
                entries.putAll(kept);
                revision = its;
            };
        }

        record Watching(Executor loop, Consumer<SharedTable.Entry> watcher) {}
    }

    /** What one gateway sees of it; it may be cut off. */
    final class End {
        private final Executor loop;
        private final String name;
        boolean cut;
        /** What it writes has its effect so much later, when it has given up to wait for the answer; 0 for at once. */
        long lateMs;

        private boolean gone;

        /** @param loop on which it is told of everything */
        End(String name, Executor loop) {
            this.name = name;
            this.loop = loop;
        }

        void leave() {
            gone = true;
            gateways.remove(name);
            List.of(owners, spawns, requests, tokens).forEach(table -> table.watchers.remove(this));
        }

        private void requireRoom() {
            if (full) {
                throw new IllegalStateException("insufficient storage resources available");
            }
        }

        private <T> CompletionStage<T> writing(Supplier<T> effect) {
            if (lateMs > 0) {
                return writingLate(effect, lateMs);
            }
            return random.nextInt(200) < losesPercent
                    ? writingLate(effect, ANSWER_MS + 500 + random.nextInt(9_000))
                    : call(effect);
        }

        /** As what a connection kept, which was lost meanwhile, whatever becomes of who wrote. */
        private <T> CompletionStage<T> writingLate(Supplier<T> effect, long afterMs) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            time.after(
                    ANSWER_MS,
                    () -> loop.execute(() -> answer.completeExceptionally(new IllegalStateException("no answer"))));
            time.after(afterMs, () -> {
                try {
                    var _ = effect.get();
                } catch (RuntimeException refused) {
                    // Nobody waits for the answer.
                }
            });
            return answer;
        }

        private <T> CompletionStage<T> call(Supplier<T> effect) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            boolean lostBefore = cut || random.nextInt(200) < losesPercent;
            boolean lostAfter = random.nextInt(200) < losesPercent;
            time.after(1 + random.nextInt(4), () -> {
                T result = null;
                RuntimeException refusal = null;
                if (!lostBefore && !gone) {
                    try {
                        result = effect.get();
                    } catch (RuntimeException e) {
                        refusal = e;
                    }
                }
                boolean lost = lostBefore || lostAfter || gone || cut;
                RuntimeException failure = lost ? new IllegalStateException("no answer") : refusal;
                T answered = result;
                time.after(
                        lost ? ANSWER_MS : 1 + random.nextInt(4),
                        () -> loop.execute(() -> {
                            if (failure != null) {
                                answer.completeExceptionally(failure);
                            } else {
                                answer.complete(answered);
                            }
                        }));
            });
            return answer;
        }

        SharedTable table(Table table) {
            return new SharedTable() {
                @Override
                public CompletionStage<Optional<Entry>> read(String key) {
                    return call(() -> Optional.ofNullable(table.entries.get(key)));
                }

                @Override
                public CompletionStage<Long> write(String key, byte[] value, long expected) {
                    return writing(() -> {
                        requireRoom();
                        Entry before = table.entries.get(key);
                        long there = before == null ? 0 : before.revision();
                        boolean free = expected == 0 && before != null && before.isRemoved();
                        if (there != expected && !free) {
                            throw new StaleException(key + " has " + there + ", not " + expected);
                        }
                        Entry entry = new Entry(key, value, ++table.revision);
                        table.entries.put(key, entry);
                        if (before != null) {
                            table.replaced.accept(before, entry);
                        }
                        table.watchers.forEach((end, watching) -> time.after(
                                1,
                                () -> watching.loop()
                                        .execute(() -> watching.watcher().accept(entry))));
                        return entry.revision();
                    });
                }

                @Override
                public void watch(Consumer<Entry> watcher) {
                    table.watchers.put(End.this, new Table.Watching(loop, watcher));
                    List<Entry> all = new ArrayList<>(table.entries.values());
                    time.after(1, () -> all.forEach(entry -> loop.execute(() -> watcher.accept(entry))));
                }

                @Override
                public CompletionStage<Void> settled() {
                    settled.run();
                    return call(() -> null);
                }
            };
        }

        SharedLog log() {
            return new SharedLog() {
                @Override
                public CompletionStage<Long> append(String host, Run run, long after) {
                    return writing(() -> {
                        requireRoom();
                        Optional<Placed> last = lastOf(host, run.spawnId());
                        if (last.isPresent() && last.get().run().isSame(run)) {
                            return last.get().position();
                        }
                        if (last.map(Placed::position).orElse(0L) != after) {
                            throw new StaleException(run.id());
                        }
                        Placed placed = new Placed(++position, run);
                        logs.computeIfAbsent(host, key -> new ArrayList<>()).add(placed);
                        written.accept(host, run);
                        return placed.position();
                    });
                }

                @Override
                public CompletionStage<Optional<Placed>> last(String host, String spawnId) {
                    return call(() -> lastOf(host, spawnId));
                }

                @Override
                public void show(String host, Run run) {
                    boolean lost = cut || gone || lateMs > 0 || random.nextInt(200) < losesPercent;
                    if (!lost) {
                        watchers.getOrDefault(host, Set.of()).forEach(watching -> watching.show(run));
                    }
                }

                @Override
                public Reading watch(String host, Consumer<Run> watcher) {
                    Watching watching = new Watching(watcher);
                    watchers.computeIfAbsent(host, key -> new LinkedHashSet<>()).add(watching);
                    return () -> watchers.get(host).remove(watching);
                }

                @Override
                public Reading follow(String host, long after, Reader reader) {
                    Following following = new Following(host, after, reader);
                    following.look();
                    return () -> following.closed = true;
                }
            };
        }

        private final class Watching {
            private final Consumer<Run> watcher;

            Watching(Consumer<Run> watcher) {
                this.watcher = watcher;
            }

            /** Later ones may be faster. */
            void show(Run run) {
                time.after(1 + random.nextInt(8), () -> {
                    if (!cut && !gone) {
                        loop.execute(() -> watcher.accept(run));
                    }
                });
            }
        }

        private final class Following {
            private final String host;
            private final SharedLog.Reader reader;
            private long after;
            boolean closed;

            Following(String host, long after, SharedLog.Reader reader) {
                this.host = host;
                this.after = after;
                this.reader = reader;
            }

            void look() {
                if (closed || gone) {
                    return;
                }
                List<SharedLog.Placed> next = cut
                        ? List.of()
                        : logs.getOrDefault(host, List.of()).stream()
                                .filter(placed -> placed.position() > after)
                                .limit(5)
                                .toList();
                if (next.isEmpty()) {
                    time.after(5, this::look);
                } else {
                    after = next.getLast().position();
                    loop.execute(() -> reader.handle(next).whenComplete((given, failure) -> time.after(1, this::look)));
                }
            }
        }

        Post post() {
            return new Post() {
                @Override
                public CompletionStage<byte[]> ask(String gateway, byte[] question) {
                    CompletableFuture<byte[]> answer = new CompletableFuture<>();
                    // Who was asked may be killed before it answers.
                    time.after(
                            5_000,
                            () -> loop.execute(
                                    () -> answer.completeExceptionally(new IllegalStateException("no answer"))));
                    time.after(2, () -> {
                        var answerer = gateways.get(gateway);
                        if (answerer == null || cut) {
                            loop.execute(() -> answer.completeExceptionally(new AbsentException(gateway)));
                        } else {
                            answerer.apply(question)
                                    .whenComplete((bytes, failure) -> time.after(
                                            2,
                                            () -> loop.execute(() -> {
                                                if (failure == null) {
                                                    answer.complete(bytes);
                                                } else {
                                                    answer.completeExceptionally(failure);
                                                }
                                            })));
                        }
                    });
                    return answer;
                }

                @Override
                public void serve(Function<byte[], CompletionStage<byte[]>> answerer) {
                    gateways.put(name, question -> {
                        CompletableFuture<byte[]> answer = new CompletableFuture<>();
                        loop.execute(() -> answerer.apply(question).whenComplete((bytes, failure) -> {
                            if (failure == null) {
                                answer.complete(bytes);
                            } else {
                                answer.completeExceptionally(failure);
                            }
                        }));
                        return answer;
                    });
                }
            };
        }
    }

    private Optional<SharedLog.Placed> lastOf(String host, String spawnId) {
        List<SharedLog.Placed> all = logs.getOrDefault(host, List.of());
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).run().spawnId().equals(spawnId)) {
                return Optional.of(all.get(i));
            }
        }
        return Optional.empty();
    }
}

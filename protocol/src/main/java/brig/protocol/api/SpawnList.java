package brig.protocol.api;

import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of spawns, newest first.
 *
 * @param next the {@code after} of the next page; null where this is the last one
 */
@Extensible
public record SpawnList(List<SpawnView> spawns, @Nullable String next) {}

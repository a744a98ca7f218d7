package brig.protocol.api;

import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of sessions, newest first.
 *
 * @param next the {@code after} of the next page; null on the last page
 */
@Extensible
public record SessionList(
        List<SpawnView> sessions, @Nullable String next) {}

/**
 * The wall: its contents, how it is built, and how it ends.
 *
 * <p>{@link brig.workeragent.sandbox.Launcher} turns a {@link brig.workeragent.sandbox.LaunchRequest} into a {@link
 * brig.workeragent.sandbox.BubblewrapProcess}. The parent of the walls is not this JVM but one resident C program,
 * {@code brig-launcher}; process 1 inside each wall is {@code brig-init} (both in {@code src/main/c}).
 *
 * <p>More than 14 classes: one launch is many steps, and none of them is for other packages.
 */
@NullMarked
package brig.workeragent.sandbox;

import org.jspecify.annotations.NullMarked;

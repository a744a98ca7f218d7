/**
 * Workspaces of agents: git worktrees of untrusted repositories, copies, and their hidden and
 * read-only files.
 *
 * <p>More than 14 classes: all of them are about what git does with workspaces, and share its tool wall and the notes.
 */
@NullMarked
package brig.workeragent.workspace;

import org.jspecify.annotations.NullMarked;

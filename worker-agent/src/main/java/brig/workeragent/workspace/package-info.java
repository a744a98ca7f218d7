/** Workspaces of agents: git worktrees of untrusted repositories, copies, and their hidden and read-only files. */
@NullMarked
package brig.workeragent.workspace;

import org.jspecify.annotations.NullMarked;

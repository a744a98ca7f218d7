/**
 * The folders that agents work in: git worktrees of a repository that nobody vouches for, what of a workspace
 * stays hidden, and what stays as it is.
 */
@NullMarked
package brig.workeragent.workspace;

import org.jspecify.annotations.NullMarked;

# How a worktree differs from its beginning.
stage
git diff --cached --no-ext-diff --no-textconv --no-color -M "$start" --

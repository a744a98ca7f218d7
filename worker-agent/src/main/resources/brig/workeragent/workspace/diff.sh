# How a worktree differs from its beginning.
#   $2  --patch or --stat
stage
git diff --cached --no-ext-diff --no-textconv --no-color -M "$2" "$start" --

# What of a worktree its repository has not yet, as a patch for git apply. What it has is in /applied, in order.
stage
since=$start
if [ -d /applied ]; then
    GIT_INDEX_FILE=/tmp/had
    git read-tree "$start"
    for patch in /applied/*; do git apply --cached --whitespace=nowarn "$patch"; done
    since=$(git write-tree)
    GIT_INDEX_FILE=/tmp/index
fi
git diff --cached --no-ext-diff --no-textconv --no-color --binary --full-index --no-renames \
    --src-prefix=a/ --dst-prefix=b/ "$since" --

# Says "changed" where something is: in the worktree, its commit, or its branch.
#   $2  its name       $3  its branch
commit() { GIT_DIR=/git/worktrees/$1 GIT_COMMON_DIR=/git git rev-parse "$2"; }
# If git cannot look, that is no "unchanged".
git status --porcelain --untracked-files=all > /tmp/status
if [ "$(commit "$2" HEAD)" != "$start" ] || [ "$(commit "$2" "refs/heads/$3")" != "$start" ] ||
        [ -s /tmp/status ]; then
    echo changed
fi

# What a repository is before a worktree of it is made: HEAD, the branches below brig/, its configuration, the tracked files,
# those that are changed, and its list of private files.
#   $1  "uncommitted", or another word for no changed files
# /workspace  the repository
set -eu
export GIT_DIR=/workspace/.git GIT_WORK_TREE=/workspace

git rev-parse --verify HEAD
# By their names, for agents may have put anything there.
find "$GIT_DIR/refs/heads/brig" -mindepth 1 ! -type d ! -name '*
*' -printf 'refs/heads/brig/%P\n' 2> /dev/null || :
if [ -f "$GIT_DIR/packed-refs" ]; then grep -o 'refs/heads/brig/.*' "$GIT_DIR/packed-refs" || :; fi
echo
git config --file "$GIT_DIR/config" --no-includes --list -z
printf '\0'
git ls-tree -r -z --name-only HEAD
printf '\0'
if [ "$1" = uncommitted ]; then
    # The user has another number in here than the index says.
    git -c core.checkStat=minimal diff --name-only --no-renames --no-ext-diff --ignore-submodules=all -z HEAD
fi
printf '\0'
git cat-file blob HEAD:.brig-private 2> /dev/null || :

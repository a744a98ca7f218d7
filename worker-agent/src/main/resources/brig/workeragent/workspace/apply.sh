# Applies /patch to a repository: all of it, or nothing. git refuses what would lead out of it.
#   $1  "check" only looks whether it fits
# /workspace  the repository      /config  what its worktrees have as its configuration
set -eu
export GIT_DIR=/tmp/git GIT_WORK_TREE=/workspace
mkdir -p /tmp/git/objects /tmp/git/refs
echo ref: refs/heads/none > /tmp/git/HEAD
cat /config > /tmp/git/config
if [ "$1" = check ]; then set -- --check; else set --; fi
git apply "$@" --whitespace=nowarn /patch

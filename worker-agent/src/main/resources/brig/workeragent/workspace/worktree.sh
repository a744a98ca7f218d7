# Begins what looks at a worktree: a repository that nobody else writes, which borrows the objects of the shared one.
#   $1  the commit that the worktree began with
# /workspace  the worktree      /git  the .git of the repository      /index  the index that the worktree began with
set -eu
start=$1
export GIT_DIR=/tmp/git GIT_WORK_TREE=/workspace GIT_INDEX_FILE=/tmp/index
mkdir -p /tmp/git/objects/info /tmp/git/refs /tmp/git/info
echo /git/objects > /tmp/git/objects/info/alternates
echo "$start" > /tmp/git/HEAD
cat /git/config > /tmp/git/config
if [ -f /git/info/exclude ]; then cat /git/info/exclude > /tmp/git/info/exclude; fi
if [ -f /index ]; then
    cat /index > /tmp/index
    # git trusts times and sizes of files that were written in a second before that of the index.
    touch -r /index /tmp/index
else
    git read-tree "$start"
fi

# Makes the index say what the worktree holds. 1 is for files that were left out.
stage() { git add --all --ignore-errors || [ $? -eq 1 ]; }

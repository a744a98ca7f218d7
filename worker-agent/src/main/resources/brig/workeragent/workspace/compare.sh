
# How another worktree that began with the same commit differs from this one.
#   $2  --patch or --stat
# /other  that worktree      /other-git  the .git of its repository      /other-index  the index that it began with
private() { git ls-files -z -t | grep -z '^S ' | cut -z -c 3- || :; }
echo /other-git/objects >> /tmp/git/objects/info/alternates
stage
private > /tmp/private
cd /other
export GIT_INDEX_FILE=/tmp/other-index GIT_WORK_TREE=/other
if [ -f /other-index ]; then
    cat /other-index > /tmp/other-index
    touch -r /other-index /tmp/other-index
else
    git read-tree "$start"
fi
stage
private >> /tmp/private
# What either may not see is in neither.
git update-index --force-remove -z --stdin < /tmp/private
other=$(git write-tree)
cd /workspace
export GIT_INDEX_FILE=/tmp/index GIT_WORK_TREE=/workspace
git update-index --force-remove -z --stdin < /tmp/private
git diff --no-ext-diff --no-textconv --no-color -M "$2" "$(git write-tree)" "$other" --

# Makes a worktree, gitrepository-layout(5), and says its first commit and its index.
#   $1  its name             $2  its branch       $3  the commit that it begins with
#   $4  where the host has /workspace             $5  where the host has /git
#   $6  bytes of the first list on standard input: changed files of the repository, which become a commit.
#       The second: tracked files that are left out. A NUL ends each name.
# /workspace  an empty folder      /git  the .git of the repository      /source  the repository
set -eu
own=/git/worktrees/$1
mkdir -p /git/worktrees /git/refs/heads/brig /git/logs/refs/heads/brig
# What an agent put there in the place of a branch would stop every git that looks.
find /git/refs/heads/brig ! -type d ! -type f -delete
mkdir "$own"
echo ../.. > "$own/commondir"
echo "$4/.git" > "$own/gitdir"
echo "ref: refs/heads/$2" > "$own/HEAD"
: > "$own/config.worktree"
echo "gitdir: $5/worktrees/$1" > /workspace/.git
GIT_DIR=/git git update-ref --create-reflog "refs/heads/$2" "$3" ''

export GIT_DIR="$own" GIT_COMMON_DIR=/git GIT_WORK_TREE=/workspace
git read-tree HEAD
if [ "$6" -gt 0 ]; then
    head -c "$6" | GIT_WORK_TREE=/source git update-index --add --remove -z --stdin
    commit=$(git -c user.name=Brig -c user.email=brig@localhost commit-tree -p "$3" \
        -m 'What was changed in the repository and not committed' "$(git write-tree)")
    git update-ref "refs/heads/$2" "$commit"
fi
# What is marked so git neither writes nor misses.
git update-index --skip-worktree -z --stdin
git checkout-index --all --quiet
git update-index -q --refresh || :
git rev-parse HEAD
cat "$own/index"

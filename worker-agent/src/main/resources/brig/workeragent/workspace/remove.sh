# Empties a folder, and removes what a repository knows of it as a worktree.
#   $1  its name, or nothing where it is no worktree       $2  its branch
#   $3  "keep" its commits where they are nowhere else
# /workspace  the folder      /git  the .git of the repository
set -eu
find /workspace -type d ! -perm -700 -exec chmod u+rwx {} \;
find /workspace -mindepth 1 -delete
if [ -n "$1" ]; then
    rm -rf "/git/worktrees/$1"
    rmdir /git/worktrees 2> /dev/null || :
    export GIT_DIR=/git
    find /git/refs/heads/brig ! -type d ! -type f -delete
    branch=refs/heads/$2
    if git show-ref --quiet --verify "$branch" && { [ "$3" != keep ] ||
            [ -z "$(git rev-list --max-count=1 "$branch" --not --exclude="$branch" --all)" ]; }; then
        git update-ref -d "$branch"
    fi
fi

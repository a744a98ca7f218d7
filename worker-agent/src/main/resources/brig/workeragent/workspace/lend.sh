# Says a commit of a repository, and a pack with it and all before it. Nothing of the repository is changed.
#   $1  the commit
#   $2  bytes of the list on standard input: changed files, which become a commit behind that one. A NUL ends each name.
#   $3  and so on: commits that the receiver has with all before them; unknown ones do not matter
# /workspace  the repository
set -eu
export GIT_DIR=/workspace/.git
for part in shallow objects/info/alternates; do
    [ ! -e "$GIT_DIR/$part" ] || { echo "it has .git/$part, so it is not whole: give the agents a clone that is" >&2; exit 1; }
done
commit=$1
if [ "$2" -gt 0 ]; then
    export GIT_WORK_TREE=/workspace GIT_INDEX_FILE=/tmp/index
    export GIT_OBJECT_DIRECTORY=/tmp/objects GIT_ALTERNATE_OBJECT_DIRECTORIES=/workspace/.git/objects
    mkdir /tmp/objects
    git read-tree "$1"
    git update-index --add --remove -z --stdin
    commit=$(git -c user.name=Brig -c user.email=brig@localhost commit-tree -p "$1" \
        -m 'What was changed in the repository and not committed' "$(git write-tree)")
fi
shift 2
echo "$commit"
echo "$commit" > /tmp/wanted
for known; do
    [ "$known" != "$commit" ] || exit 0
    if git cat-file -e "$known^{commit}" 2> /dev/null; then echo "^$known" >> /tmp/wanted; fi
done
git pack-objects --revs --thin --delta-base-offset --stdout --quiet < /tmp/wanted

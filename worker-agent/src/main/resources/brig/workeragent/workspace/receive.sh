# Takes a pack into a mirror. It fails unless the commit is there then, with all before it, and is sound. What git would
# refuse of a stranger is refused; what only old versions of git wrote is not.
#   $1  the commit      $2  the commit to keep a name for      $3  how it names objects, sha1 or sha256
#   $4  and so on: commits that are there with all before them
# /workspace  the mirror, empty at first      /pack  the pack
set -eu
old=zeroPaddedFilemode,missingSpaceBeforeDate,missingSpaceBeforeEmail,missingEmail,missingNameBeforeEmail
old=$old,badName,badEmail,badDate,badDateOverflow,badTimezone,zeroPaddedDate,multipleAuthors,missingTypeEntry,nullSha1
old=$(echo "$old" | sed 's/,/=ignore,/g')=ignore
commit=$1 head=$2 format=$3
shift 3
git init --quiet --bare --template= --object-format="$format" /workspace
export GIT_DIR=/workspace
# What an earlier run left that was ended.
find /workspace/objects -name '*tmp_*' -type f -delete
git index-pack --stdin --fix-thin --strict="$old" < /pack > /dev/null
git rev-list --objects --quiet "$commit" --not "$@"
git update-ref "refs/heads/$head" "$head"
if [ "$(find /workspace/objects/pack -name '*.pack' | wc -l)" -gt 50 ]; then
    # Worktrees borrow objects that no name of the mirror leads to.
    git repack -a -d -k -q
    git pack-refs --all
fi

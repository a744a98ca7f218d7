# What survey.sh says, of one commit of a mirror.
#   $1  the commit
# /workspace  the mirror
set -eu
export GIT_DIR=/workspace
git rev-parse --verify "$1^{commit}"
echo
printf '\0'
git ls-tree -r -z --name-only "$1"
printf '\0\0'
git cat-file blob "$1:.brig-private" 2> /dev/null || :

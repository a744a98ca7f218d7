# Makes a repository without files of a pack.
#   $1  how it names objects, sha1 or sha256
# /workspace  an empty folder      /pack  the pack
set -eu
git init --quiet --bare --template= --object-format="$1" /workspace
GIT_DIR=/workspace git index-pack --stdin < /pack > /dev/null

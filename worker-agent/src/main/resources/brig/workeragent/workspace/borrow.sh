# Makes a repository without files that borrows the objects of a mirror.
#   $1  how it names objects, sha1 or sha256      $2  the mirror, at the same path as on the host
# /workspace  an empty folder
set -eu
git init --quiet --bare --template= --object-format="$1" /workspace
mkdir -p /workspace/objects/info
echo "$2/objects" > /workspace/objects/info/alternates

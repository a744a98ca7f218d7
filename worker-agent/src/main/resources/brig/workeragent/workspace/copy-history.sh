# Makes a repository without files of a commit of another one, and all before it.
#   $1  how it names objects, sha1 or sha256      $2  the commit
# /workspace  an empty folder      /from  the other one
set -eu
git init --quiet --bare --template= --object-format="$1" /workspace
echo "$2" | GIT_DIR=/from git pack-objects --revs --stdout --quiet | GIT_DIR=/workspace git index-pack --stdin > /dev/null


# Removes the objects of checkpoints that are no more, and says the bytes of all that stay.
#   $2  and so on: the trees of the others
shift
export GIT_OBJECT_DIRECTORY=/kept/objects GIT_ALTERNATE_OBJECT_DIRECTORIES=/git/objects
echo ref: refs/heads/none > /tmp/git/HEAD
git prune --expire=now -- "$@"
find /kept/objects -type f -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f\n", sum }'

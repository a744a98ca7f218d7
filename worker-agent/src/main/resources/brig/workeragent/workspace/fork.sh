
# Makes a worktree that just began what a checkpoint of another one holds, and keeps what that is made of. Says its bytes.
#   $2  the checkpoint's tree
# /from  what Brig keeps of the other worktree's checkpoints      /kept  the same of this one's
echo '* -text -ident -filter !eol !working-tree-encoding' > /tmp/git/info/attributes
mkdir -p /kept/objects
printf '%s\n^%s^{tree}\n' "$2" "$start" |
    GIT_ALTERNATE_OBJECT_DIRECTORIES=/from/objects git pack-objects --revs --stdout --quiet |
    GIT_OBJECT_DIRECTORY=/kept/objects GIT_ALTERNATE_OBJECT_DIRECTORIES=/git/objects git unpack-objects -q
export GIT_ALTERNATE_OBJECT_DIRECTORIES=/kept/objects
git read-tree --reset -u "$2"
cp -p /tmp/index /kept/index
find /kept/objects -type f -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f\n", sum }'

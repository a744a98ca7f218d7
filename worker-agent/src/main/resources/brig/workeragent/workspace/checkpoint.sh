
# Makes a tree of what the worktree holds but what .gitignore names, and says it, the bytes of all objects before, and after.
# Or says "full", the bytes of all objects, and those of the files that are new, if there are too many.
#   $2  how many bytes all objects may take
export GIT_OBJECT_DIRECTORY=/kept/objects GIT_ALTERNATE_OBJECT_DIRECTORIES=/git/objects
sum() { awk '{ sum += $1 } END { printf "%.0f", sum }'; }
size() { find /kept/objects -type f -printf '%s\n' | sum; }
mkdir -p /kept/objects
# What an earlier run left that was ended.
find /kept/objects -name 'tmp_obj_*' -type f -delete
had=$(size)
new=$(git ls-files -z --others --modified --exclude-standard | sort -zu | xargs -0 -r stat -c %s -- 2> /dev/null | sum)
if [ "$((had + new))" -gt "$2" ]; then
    echo "full $had $new"
    exit 0
fi
stage
tree=$(git write-tree)
cp -p /tmp/index /kept/index.new
mv /kept/index.new /kept/index
echo "$tree $had $(size)"


# Goes on with the index of the newest checkpoint. Files are taken and written as they are: no attribute converts them.
# /kept  what Brig keeps of the worktree's checkpoints
echo '* -text -ident -filter !eol !working-tree-encoding' > /tmp/git/info/attributes
if [ -f /kept/index ]; then
    cp -p /kept/index /tmp/index
elif git ls-files -- ':(glob)**/.gitattributes' | grep -q . || git config --get-regexp '^core\.(autocrlf|eol)$' > /dev/null; then
    # The files may be in the repository otherwise than they are here.
    git ls-files -z -t | grep -z '^S ' | cut -z -c 3- > /tmp/skipped || :
    git read-tree "$start"
    git update-index --skip-worktree -z --stdin < /tmp/skipped
    export GIT_ALTERNATE_OBJECT_DIRECTORIES=/kept/objects
    git update-index -q --refresh > /dev/null || :
fi

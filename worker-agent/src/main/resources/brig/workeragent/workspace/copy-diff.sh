# How a copy differs from what it was made as. git leaves out what .gitignore names, and repositories inside.
cut -z -d ' ' -f 4- /tmp/differ | sort -zu > /tmp/names
git init -q --bare --template= /tmp/git

# The tree of those files of a folder that differ.
tree() {
    cd "$1"
    export GIT_DIR=/tmp/git GIT_WORK_TREE="$1" GIT_INDEX_FILE=/tmp/index
    git read-tree --empty
    git ls-files -z --others --exclude-standard | sort -z | comm -z -12 - /tmp/names > /tmp/staged
    git update-index --add -z --stdin < /tmp/staged
    git write-tree
}
had=$(tree /origin)
has=$(tree /workspace)
git -C /tmp/git diff --no-ext-diff --no-textconv --no-color -M "$2" "$had" "$has" --

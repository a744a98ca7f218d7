# Begins what compares a copy with what it was made as. Names end with a NUL.
#   $1  when the copy was whole, in seconds since 1970
# /workspace  the copy      /origin  the other one
set -eu
export LC_ALL=C whole="$1"

# What an entry is by its looks. An agent can set a file's time back, but not that of its last change. git writes its index
# anew when it only looks.
entries() {
    cd "$1"
    find . -mindepth 1 \( -path ./.git/index -o -type d -printf 'd 0 0 %P\0' \
        -o -newerct "@$whole" -printf 'c 0 0 %P\0' -o -printf '%y %s %T@ %P\0' \) | sort -z
}
entries /origin > /tmp/had
entries /workspace > /tmp/has
{ comm -z -23 /tmp/had /tmp/has; comm -z -13 /tmp/had /tmp/has; } > /tmp/differ

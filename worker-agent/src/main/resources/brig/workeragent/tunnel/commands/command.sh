# Runs one command for brig.workeragent.tunnel.commands.RemoteCommand, behind the masks if there are any.
# Arguments: mark, folder, file to bring back or "", rows, columns, NAME=VALUE..., "--", program, arguments...
m=$1 d=$2 r=$3 w=$4 c=$5
shift 5
trap : HUP INT QUIT TERM USR1 USR2
unset CDPATH
while [ "$1" != -- ]; do
    export "$1"
    shift
done
shift
t=
if [ "$w" -gt 0 ]; then
    # An ssh that has no terminal of its own asks its master for one in which every setting is off.
    stty 38400 sane 2>/dev/null
    stty iutf8 2>/dev/null
    stty rows "$w" cols "$c" 2>/dev/null
    t=$(tty)
else
    printf '%s\n' "$m"
fi
printf '%s %s %s\n' "$m" "$$" "$t" >&2
if ! cd -- "$d" 2>/dev/null; then
    printf 'brig: the other machine has no folder %s\n' "$d" >&2
    e=1
elif ! command -v "$1" >/dev/null; then
    shift
    sh "$@"
    e=$?
else
    "$@"
    e=$?
fi
[ "$w" -gt 0 ] || printf '%s' "$m"
printf '%s %s\n' "$m" "$e" >&2
if [ -n "$r" ] && [ -f "$r" ]; then
    cat "$r" >&2
    rm -f "$r"
fi
printf '%s' "$m" >&2

# Serves brig.workeragent.tunnel.commands.Keeper: one request a line, words encoded for printf's %b. It runs outside of
# the masks. When its input ends, because the link or the session did, it ends the commands that are left.
# Arguments: mark, the script of the masks.
m=$1 masks=$2
trap '' HUP
set -f
shell=$SHELL home=$HOME
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
live= now= old= as=
# As root of a namespace it also reads its own user's folders that a command closed.
unshare -Ur true 2>/dev/null && as='unshare -Ur'
decode() {
    d=$(printf '%b.' "$1")
    d=${d%.}
}
printf '%s' "$m"
printf '%s\0' "$(command -v nsenter)" "$home"
while read -r verb rest; do
    case $verb in
    add) live="$live $rest" ;;
    end)
        left=
        for p in $live; do [ "$p" = "$rest" ] || left="$left $p"; done
        live=$left
        ;;
    kill) kill -s "${rest%% *}" -- "-${rest#* }" 2>/dev/null ;;
    size)
        set -- $rest
        stty rows "$2" cols "$3" <"$1" 2>/dev/null
        ;;
    find)
        set --
        for w in $rest; do
            decode "$w"
            set -- "$@" "$d"
        done
        (
            $as find "$@" 2>/dev/null
            printf '\0'
        ) </dev/null &
        ;;
    mask)
        set --
        for w in $rest; do
            decode "$w"
            set -- "$@" "$d"
        done
        (
            unshare -Urm sh -c "$masks" sh "$(id -u)" "$(id -g)" "$home" "$shell" "$$" "$@" 2>/dev/null
            [ $? -ne 1 ] || printf 'unmasked %s\0' "it allows no user namespaces, or has no unshare of util-linux"
        ) </dev/null &
        ;;
    hold)
        [ -z "$old" ] || kill "$old" 2>/dev/null
        old=$now now=$rest
        ;;
    esac
done
for p in $live; do kill -s TERM -- "-$p" 2>/dev/null; done
[ -z "$live" ] || sleep 2
for p in $live; do kill -s KILL -- "-$p" 2>/dev/null; done
kill $now $old 2>/dev/null
exit 0

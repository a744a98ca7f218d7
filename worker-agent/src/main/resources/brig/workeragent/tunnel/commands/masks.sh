# Hides private files in a namespace of its own, then waits: commands enter it. Runs as root of a new user namespace.
# Arguments: uid, gid, home, login shell, the keeper, number of folders, folders from the top down..., files...
u=$1 g=$2 h=$3 s=$4 k=$5 n=$6
shift 6
fail() {
    printf 'unmasked %s\0' "$1"
    exit 3
}
fix() {
    mount --bind "$1" "$1" || fail "$1 cannot be made read-only"
    mount -o remount,bind,ro "$1" || mount -o remount,bind,ro,nosuid,nodev "$1" ||
        mount -o remount,bind,ro,nosuid,nodev,noexec "$1" || fail "$1 cannot be made read-only"
}
# What sshd and a login shell would execute outside of the masks at the next command.
case $s in
*/bash) [ -f "$h/.bashrc" ] || fail "a command could make $h/.bashrc, which every login executes; make that file" ;;
*/zsh) [ -f "$h/.zshenv" ] || fail "a command could make $h/.zshenv, which every login executes; make that file" ;;
*/sh | */dash) ;;
*) fail "the login shell $s is none of sh, dash, bash and zsh" ;;
esac
[ -d "$h/.ssh" ] || fail "a command could make $h/.ssh/rc, which every login executes; make that folder"
for f in .ssh .bashrc .bash_profile .bash_login .bash_aliases .profile .zshenv .zprofile .zshrc .pam_environment \
    .config/systemd; do
    [ ! -e "$h/$f" ] || fix "$h/$f"
done
# A folder that holds a private file cannot be moved away from the next search.
while [ "$n" -gt 0 ]; do
    if [ -d "$1" ] && [ -w "${1%/*}/" ]; then
        mount --rbind "$1" "$1" || fail "a folder with a private file cannot be kept in its place"
    fi
    shift
    n=$((n - 1))
done
for f; do
    if [ -d "$f" ]; then
        mount -t tmpfs -o ro,size=4k,mode=0555 none "$f" || fail "a private folder cannot be hidden"
    elif [ -e "$f" ]; then
        mount --bind /dev/null "$f" || [ ! -e "$f" ] || fail "a private file cannot be hidden"
    fi
done
# No further namespace: none in which an old kernel shows what lies below a mount.
echo 1 >/proc/sys/user/max_user_namespaces || fail "user namespaces cannot be limited"
exec unshare -Um --map-user="$u" --map-group="$g" sh -c 'printf "masked %s\0" "$$"
exec >/dev/null 2>&1
while kill -0 "$1"; do sleep 5; done' sh "$k"

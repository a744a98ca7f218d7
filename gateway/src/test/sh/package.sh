#!/bin/sh
# Installs the package on a copy of this host, starts it as its units do, lets it work, and removes it; the copy is a layer in
# memory over the host's files, in a mount and process namespace of its own, so the host itself is left as it was. Ends with 0,
# or with 77 where the host lacks what this takes. package.sh FILE.deb
set -eu

lack() { echo "$*" >&2; exit 77; }
fail() { echo "FAILED: $*" >&2; exit 1; }
ok() { echo "ok: $*"; }

if [ "${2:-}" != inside ]; then
    [ "$(id -u)" = 0 ] || lack 'this needs root'
    for program in dpkg-deb unshare pivot_root setpriv adduser bwrap git; do
        command -v $program >/dev/null || lack "$program is not installed"
    done
    [ -f "$1" ] || lack "there is no package: $1"
    exec unshare --mount --pid --fork --kill-child "$0" "$1" inside
fi

# The copy: everything of the host below a layer in memory. /run, /tmp and the JDKs of the host are not there.
top=$(mktemp -d)
mount -t tmpfs tmpfs "$top"
mkdir "$top/upper" "$top/work" "$top/root" "$top/lower"
mount -t overlay overlay -o "lowerdir=/,upperdir=$top/upper,workdir=$top/work" "$top/root" 2>/dev/null ||
    { umount "$top"; rmdir "$top"; lack 'the kernel gives no overlay here'; }
unset TMPDIR
cp "$1" "$top/brig.deb"
cd "$top/root"
rm -rf etc/brig var/lib/brig var/lib/brig-worker-agent
mount --bind / "$top/lower"
mount --rbind "$top" mnt
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
[ ! -d usr/lib/jvm ] || mount -t tmpfs tmpfs usr/lib/jvm
mkdir run/old
pivot_root . run/old
cd /
umount -l run/old
rmdir run/old
# The name of the folder is left on the host, empty; who called removes it.
unset BRIG_JAVA_HOME JAVA_HOME
for package in adduser bubblewrap git; do
    dpkg -s $package >/dev/null 2>&1 || lack "dpkg does not know $package here"
done

# Everything that differs from the host: files of dpkg, logs and caches are not the package's. A folder is in the layer
# already when something in it was touched.
differs() {
    find /mnt/upper -mindepth 1 | cut -c11- | grep -v -e '^/var/lib/dpkg/' -e '^/var/log/' -e '^/var/cache/' \
        -e '^/etc/\(passwd\|group\|shadow\|gshadow\|subuid\|subgid\)-\?$' -e '^/etc/\.pwd\.lock$' |
        while read -r path; do
            [ -d "/mnt/upper$path" ] && [ -d "/mnt/lower$path" ] || echo "$path"
        done
}
before=$(differs)
accounts=$(cat /etc/passwd /etc/group)

dpkg --install /mnt/brig.deb >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log >&2; fail 'dpkg did not install it'; }
getent passwd brig >/dev/null || fail 'there is no user brig'
case $(brig --version) in 'brig '*) ok "installed, on its own runtime: $(brig --version)" ;; *) fail 'no version' ;; esac
for archive in serve worker-agent cli; do
    [ -f "/usr/lib/brig/lib/$archive.aot" ] || echo "note: no start-up archive $archive"
done
if [ -f /usr/lib/brig/lib/cli.aot ]; then
    BRIG_JAVA_OPTS=-XX:AOTMode=on brig --version >/dev/null || fail 'the start-up archive does not fit where it is installed'
    ok 'the start-up archive fits'
fi
if command -v systemd-analyze >/dev/null; then
    systemd-analyze verify --man=no /usr/lib/systemd/system/brig*.service 2>&1 | grep -i brig &&
        fail 'systemd does not like the units'
    ok 'systemd takes the units'
fi

# What systemd does with a unit, as far as this takes it.
value() { sed -e ':a' -e '/\\$/{N;s/\\\n *//;ta' -e '}' "/usr/lib/systemd/system/$1" | sed -n "s/^$2=//p"; }
folders() {
    owner=$(value "$1" User)
    for name in $(value "$1" RuntimeDirectory); do
        install -d -m "$(value "$1" RuntimeDirectoryMode)" -o "${owner:-root}" "/run/$name"
    done
    install -d -m "$(value "$1" StateDirectoryMode)" -o "${owner:-root}" "/var/lib/$(value "$1" StateDirectory)"
}
# Returns when it has said so; $pid is its process.
start() {
    rm -f /tmp/said
    mkfifo /tmp/said
    folders "$1"
    if [ "$(value "$1" User)" = brig ]; then
        env -i PATH=/usr/bin:/bin setpriv --reuid brig --regid brig --clear-groups --no-new-privs --bounding-set=-all \
            --inh-caps=-all sh -c "exec $(value "$1" ExecStart)" >/tmp/said 2>>"/tmp/$1.log" &
    else
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "exec $(value "$1" ExecStart)" >/tmp/said 2>>"/tmp/$1.log" &
    fi
    pid=$!
    { while read -r line; do case $line in "$2"*) break ;; esac; done; } </tmp/said
    case ${line:-} in "$2"*) ok "$1 is up" ;; *) cat "/tmp/$1.log" >&2; fail "$1 did not come up" ;; esac
}
stop() {
    kill "$1"
    wait "$1" || [ $? = 143 ] || fail "a service ended with $?"
}

nobody=$(id -u nobody)
# The host may have a gateway of its own on the usual port.
sed -i "s/\"allowedUids\": \[\]/\"allowedUids\": [$nobody], \"http\": {\"port\": 0}/" /etc/brig/brig.json
start brig-worker-agent.service ready
agent=$pid
start brig.service 'brig is up'
gateway=$pid
[ "$(stat -c %U "/proc/$gateway")" = brig ] || fail 'the gateway does not run as brig'
said=$(brig run shell -- 'echo hi; cat /etc/brig/brig.json 2>/dev/null || echo walled')
[ "$said" = "hi
walled" ] || fail "brig run said: $said"
ok 'brig run shell'
brig run mock '#scenario:subagent' >/dev/null 2>&1 || fail 'the mock agent does not run on the runtime'
ok 'brig run mock'
others=$(setpriv --reuid nobody --regid nogroup --clear-groups env HOME=/nonexistent brig status --json) ||
    fail 'a user of allowedUids cannot ask'
case $others in *'"pool":"open"'*) ok 'an allowed user finds the gateway' ;; *) fail "$others" ;; esac
if setpriv --reuid 4711 --regid nogroup --clear-groups env HOME=/nonexistent brig status >/dev/null 2>&1; then
    fail 'a user who is not allowed can ask'
fi
ok 'another user does not'

brig spawn --task-id stays shell >/dev/null 2>&1
stop $gateway
start brig.service 'brig is up'
gateway=$pid
brig sessions --json | grep -q '"task_id":"stays".*"state":"running"' || fail "the worker is gone: $(brig sessions --all)"
ok 'a worker goes on over a restart of the gateway'
stop $gateway
stop $agent
! pgrep -u 59617 >/dev/null || fail 'workers are left'

dpkg --remove brig >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log >&2; fail 'dpkg did not remove it'; }
[ ! -e /usr/lib/brig ] && [ ! -e /usr/bin/brig ] && [ -e /etc/brig/brig.json ] && [ -e /var/lib/brig/brig.db ] ||
    fail 'to remove it takes the programs and leaves settings and state'
dpkg --purge brig >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log >&2; fail 'dpkg did not purge it'; }
[ "$(differs)" = "$before" ] || fail "left behind: $(differs)"
[ "$accounts" = "$(cat /etc/passwd /etc/group)" ] || fail 'an account is left behind'
ok 'removed and purged, nothing is left'

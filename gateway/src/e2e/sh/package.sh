#!/bin/sh
# Installs the package on a copy of this host, has systemd start it, lets it work, upgrades, and removes it. The copy is a layer in
# memory over the host's files, with a systemd of its own as process 1 of its own namespaces, so the host is left as it was.
# Ends with 0, or with 77 where the host lacks what this takes. package.sh FILE.deb
set -eu

lack() { echo "$*" >&2; exit 77; }
fail() { echo "FAILED: $*" >&2; exit 1; }
ok() { echo "ok: $*"; }
LAST='removed and purged, nothing is left'

# On the host: a control group for all of it, and a look at how it went.
outside() {
    [ "$(id -u)" = 0 ] || lack 'this needs root'
    for program in dpkg-deb unshare pivot_root setpriv adduser bwrap git ip systemctl; do
        command -v $program >/dev/null || lack "$program is not installed"
    done
    [ -x /lib/systemd/systemd ] || lack 'systemd is not installed'
    [ -f "$1" ] || lack "there is no package: $1"
    folder=$(mktemp -d) groups=
    mkdir "$folder/top"
    touch "$folder/said"
    while IFS=: read -r _ kind own; do
        [ -n "$kind" ] || [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ] || continue
        group=/sys/fs/cgroup/${kind#name=}${own%/}/brig-package-$$
        mkdir "$group" || continue
        if echo 0 2>/dev/null >"$group/cgroup.procs"; then groups="$groups $group"; else rmdir "$group"; fi
    done </proc/self/cgroup
    unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child "$0" "$1" copy "$folder" >"$folder/boot" 2>&1 &
    copy=$! waited=0
    while kill -0 $copy 2>/dev/null; do
        sleep 1
        waited=$((waited + 1))
        [ -s "$folder/said" ] || [ $waited -lt 60 ] || kill -KILL $copy
    done
    wait $copy || true
    for group in $groups; do
        echo 0 >"${group%/*}/cgroup.procs"
        find "$group" -depth -type d -exec rmdir {} + || echo "note: $group is left"
    done
    result=$(tail -n 1 "$folder/said")
    cat "$folder/said"
    [ -n "$result" ] || cat "$folder/boot" >&2
    rm -r "$folder"
    [ -n "$result" ] || lack 'systemd does not come up in namespaces here'
    case $result in "ok: $LAST") exit 0 ;; 'lacks: '*) lack "${result#lacks: }" ;; *) exit 1 ;; esac
}

# Everything of the host below a layer in memory. /run, /tmp and the JDKs of the host are not there, nor what it starts.
copy() {
    top=$2/top
    mount -t tmpfs tmpfs "$top"
    mkdir "$top/upper" "$top/work" "$top/root" "$top/lower"
    mount -t overlay overlay -o "lowerdir=/,upperdir=$top/upper,workdir=$top/work" "$top/root" || lack 'the kernel gives no overlay here'
    cp "$1" "$top/brig.deb"
    cp "$0" "$top/package.sh"
    touch "$top/said"
    mount --bind "$2/said" "$top/said"
    cd "$top/root"
    rm -rf etc/brig var/lib/brig var/lib/brig-worker-agent etc/systemd/system usr/sbin/policy-rc.d
    mkdir -p etc/systemd/system/multi-user.target.wants
    cat >etc/systemd/system/try.service <<'UNIT'
[Service]
Type=oneshot
Environment=PATH=/usr/sbin:/usr/bin:/sbin:/bin
ExecStart=/mnt/package.sh /mnt/brig.deb try
ExecStopPost=/bin/systemctl --no-block exit
StandardOutput=file:/mnt/said
StandardError=file:/mnt/said
UNIT
    mount --bind / "$top/lower"
    mount --rbind "$top" mnt
    mount -t proc proc proc
    mount --rbind /dev dev
    mount -t sysfs sysfs sys
    if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then
        mount -t cgroup2 cgroup2 sys/fs/cgroup
    else
        mount -t tmpfs tmpfs sys/fs/cgroup
        while IFS=: read -r _ kind _; do
            [ -n "$kind" ] || continue
            mkdir "sys/fs/cgroup/${kind#name=}"
            mount -t cgroup cgroup "sys/fs/cgroup/${kind#name=}" -o "$(echo "$kind" | sed 's/^name=/none,&/')"
        done </proc/self/cgroup
    fi
    mount -t tmpfs tmpfs run
    mount -t tmpfs tmpfs tmp
    [ ! -d usr/lib/jvm ] || mount -t tmpfs tmpfs usr/lib/jvm
    ip link set lo up
    mkdir run/old
    pivot_root . run/old
    cd /
    umount -l run/old
    rmdir run/old
    exec env -i container=brig PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        /lib/systemd/systemd --system --unit=try.service --log-target=console --log-level=warning
}

# Everything that differs from the host: files of dpkg and systemd, logs and caches are not the package's. A folder is in the layer
# already when something in it was touched.
differs() {
    find /mnt/upper -mindepth 1 | cut -c11- | grep -v -e '^/var/lib/dpkg/' -e '^/var/lib/systemd' -e '^/var/log/' -e '^/var/cache/' \
        -e '^/etc/\(passwd\|group\|shadow\|gshadow\|subuid\|subgid\)-\?$' -e '^/etc/\.pwd\.lock$' |
        while read -r path; do
            [ -d "/mnt/upper$path" ] && [ -d "/mnt/lower$path" ] || echo "$path"
        done
}
log() { journalctl --no-pager -u brig -u brig-worker-agent >&2; fail "$@"; }
pid() { systemctl show --property MainPID --value "$1"; }
await() { timeout 60 sh -c 'until brig status >/dev/null 2>&1; do sleep 0.1; done' || log 'the gateway does not answer'; }

try() {
    echo "systemd $(systemctl --version | sed -n '1s/systemd \([0-9]*\).*/\1/p')"
    for package in adduser bubblewrap git; do
        dpkg -s $package >/dev/null 2>&1 || { echo "lacks: dpkg does not know $package here"; exit 1; }
    done
    systemd-tmpfiles --create >/dev/null 2>&1 || echo 'note: systemd-tmpfiles does not make all of its files here'
    before=$(differs)
    accounts=$(cat /etc/passwd /etc/group)

    dpkg --install "$1" >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log >&2; fail 'dpkg did not install it'; }
    getent passwd brig >/dev/null || fail 'there is no user brig'
    case $(brig --version) in 'brig '*) ok "installed, on its own runtime: $(brig --version)" ;; *) fail 'no version' ;; esac
    for archive in serve worker-agent cli mcp; do
        [ -f "/usr/lib/brig/lib/$archive.aot" ] || echo "note: no start-up archive $archive"
    done
    if [ -f /usr/lib/brig/lib/cli.aot ]; then
        said=$(BRIG_JAVA_OPTS='-XX:AOTMode=on -Xlog:aot' brig --version 2>&1) || fail "the start-up archive does not fit where it is installed: $said"
        ok 'the start-up archive fits'
    fi
    /usr/lib/brig/lib/host/payload make /tmp/payload.tar.gz 2>/tmp/payload.log || fail "no payload for other hosts: $(cat /tmp/payload.log)"
    version=$(/usr/lib/brig/lib/host/payload version)
    mkdir /tmp/payload
    tar -xzf /tmp/payload.tar.gz -C /tmp/payload
    "/tmp/payload/$version/runtime/bin/java" -version 2>/dev/null || fail "the payload's Java does not run"
    findings=$(HOME=/tmp/payload "/tmp/payload/$version/bin/brig-host" check)
    echo "$findings" | grep -q '"architecture","status":"ok"' || fail "the payload does not fit this host: $findings"
    rm -rf /tmp/payload /tmp/payload.tar.gz
    ok 'it makes the payload for other hosts of its own runtime'
    for page in /usr/share/doc/brig/*.md /usr/share/doc/brig/*/*.md /usr/share/doc/brig/clients/*/*.md; do
        grep -o ']([^)#]*' "$page" | cut -c3- | grep -v '^[a-z]*:' | sort -u | while read -r link; do
            [ -e "${page%/*}/$link" ] || { fail "$page leads to $link, which is not there"; }
        done
    done
    [ -f /usr/lib/brig/clients/opencode/index.js ] && [ -f /usr/lib/brig/clients/python/brig_client/_brig.py ] || fail 'the clients are not there'
    grep -q '^complete -c brig ' /usr/share/fish/vendor_completions.d/brig.fish || fail 'fish does not complete'
    grep -q 'brig Bash Completion' /usr/share/bash-completion/completions/brig || fail 'bash does not complete'
    ok 'the pages lead to each other'
    await
    systemctl is-active --quiet brig brig-worker-agent || log 'a service is not active'
    [ "$(stat -c %U "/proc/$(pid brig)")" = brig ] || fail 'the gateway does not run as brig'
    ok 'systemd started both services'
    grep -q '^NoNewPrivs:.1' "/proc/$(pid brig-worker-agent)/status" || fail 'the worker-agent may gain privileges'
    [ "$(brig doctor | grep -c '^egress-.* OK ')" -ge 7 ] || log "brig-egress is not confined: $(brig doctor)"
    ok 'brig-egress is confined below the unit'
    nobody=$(id -u nobody)
    sed -i "s/\"allowedUids\": \[\]/\"allowedUids\": [$nobody]/" /etc/brig/brig.json
    systemctl restart brig
    await

    out=$(brig run shell -- 'echo hi; cat /etc/brig/brig.json 2>/dev/null || echo walled')
    [ "$out" = "hi
walled" ] || log "brig run said: $out"
    ok 'brig run shell'
    brig run mock '#scenario:subagent' >/dev/null 2>&1 || log 'the mock agent does not run on the runtime'
    ok 'brig run mock'
    others=$(setpriv --reuid nobody --regid nogroup --clear-groups env HOME=/nonexistent brig status --json) ||
        fail 'a user of allowedUids cannot ask'
    case $others in *'"pool":"open"'*) ok 'an allowed user finds the gateway' ;; *) fail "$others" ;; esac
    if setpriv --reuid 4711 --regid nogroup --clear-groups env HOME=/nonexistent brig status >/dev/null 2>&1; then
        fail 'a user who is not allowed can ask'
    fi
    ok 'another user does not'

    brig spawn --task-id stays shell >/dev/null 2>&1
    agent=$(pid brig-worker-agent)
    dpkg --install "$1" >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log >&2; fail 'dpkg did not upgrade it'; }
    await
    brig sessions --json | grep -q '"task_id":"stays".*"state":"running"' || log "the worker is gone: $(brig sessions --all)"
    [ "$(pid brig-worker-agent)" = "$agent" ] || fail 'an upgrade restarted the worker-agent of a worker that lives'
    ok 'a worker goes on over an upgrade'

    dpkg --remove brig >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log >&2; fail 'dpkg did not remove it'; }
    ! pgrep -u 59617 >/dev/null || fail 'workers are left'
    ! systemctl is-active --quiet brig || fail 'the gateway still runs'
    [ ! -e /usr/lib/brig ] && [ ! -e /usr/bin/brig ] && [ -e /etc/brig/brig.json ] && [ -e /var/lib/brig/brig.db ] ||
        fail 'to remove it takes the programs and leaves settings and state'
    dpkg --purge brig >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log >&2; fail 'dpkg did not purge it'; }
    left=$(differs | grep -vxF "$before") && fail "left behind: $left"
    [ "$accounts" = "$(cat /etc/passwd /etc/group)" ] || fail 'an account is left behind'
    ok "$LAST"
}

case ${2:-outside} in
outside) outside "$1" ;;
copy) copy "$1" "$3" ;;
try) try "$1" ;;
esac

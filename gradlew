#!/bin/sh
# Starts the build. Finds JDK 25 and Gradle, and installs missing packages with apt.
# If it cannot install a package, it names it and stops. It downloads nothing from elsewhere.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

say() { printf 'gradlew: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }
is_jdk25() { [ -x "$1/bin/javac" ] && grep -q '^JAVA_VERSION="25[."]' "$1/release" 2>/dev/null; }

find_jdk25() {
    for home in "${BRIG_JDK25:-}" "${JAVA_HOME:-}" /usr/lib/jvm/*; do
        if [ -n "$home" ] && is_jdk25 "$home"; then BRIG_JDK25=$home; return 0; fi
    done
    return 1
}

# apt_install PACKAGE…: fails with 1 without apt, or without the right to use it.
apt_install() {
    command -v apt-get >/dev/null || return 1
    sudo=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || return 1
        sudo='sudo -n'
        [ -t 0 ] && sudo=sudo
    fi
    say "installing with apt: $*"
    $sudo apt-get update -qq >&2 || say "apt-get update failed; trying with the package lists at hand"
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

# need PROGRAM PACKAGE: collects missing packages in $packages.
packages=
need() { [ -e "$1" ] || command -v "$1" >/dev/null || packages="$packages $2"; }
need gradle gradle              # the build
need bwrap bubblewrap           # the wall
need gcc gcc                    # compiles the two C helpers of the wall
need /usr/include/stdlib.h libc6-dev
need curl curl                  # the end-to-end tests look at the HTTP interface from outside, and from within the wall
if [ -n "$packages" ]; then
    # shellcheck disable=SC2086
    apt_install $packages || die "missing:$packages. Install them (Debian, Ubuntu: sudo apt-get install$packages) and start again."
fi
# The watch page is tested in a browser, the clients with npm packages, and remote hosts through ssh. Without them those tests are
# skipped with a message.
case " $* " in *check\ * | *e2eTest\ * | *ormat\ *)
    packages=
    need chromium chromium
    need npm npm
    [ "$(uname -m)" != x86_64 ] || need qemu-system-x86_64 qemu-system-x86
    need ssh openssh-client
    need sshfs sshfs            # a folder of another host, mounted here
    need skopeo skopeo          # fetches images
    need /usr/lib/openssh/sftp-server openssh-sftp-server
    # shellcheck disable=SC2086
    [ -z "$packages" ] || apt_install $packages || say "missing:$packages; tests that need it will be skipped"
esac
if ! find_jdk25; then
    apt_install openjdk-25-jdk-headless || apt_install temurin-25-jdk || true
    find_jdk25 || die 'missing: JDK 25. Install one (Debian, Ubuntu: openjdk-25-jdk-headless or temurin-25-jdk)' \
        'under /usr/lib/jvm, or point JAVA_HOME at it, and start again.'
fi

# Gradle 4.4.1 itself does not run on JDK 25; it gets the newest JDK that it supports.
for home in /usr/lib/jvm/java-17-openjdk-* /usr/lib/jvm/java-11-openjdk-* /usr/lib/jvm/default-java; do
    if [ -x "$home/bin/java" ]; then JAVA_HOME=$home; export JAVA_HOME; break; fi
done

# This Gradle has no --args=…; the build takes -Pargs=… instead.
for argument in "$@"; do
    shift
    case $argument in --args=*) argument="-Pargs=${argument#--args=}" ;; esac
    set -- "$@" "$argument"
done

# The gateway does not run inside Gradle, whose daemon would intercept Ctrl-C: './gradlew run [OPTION…]' builds,
# then executes 'brig serve'.
serve=
if [ "${1:-}" = run ]; then
    shift
    serve=1
fi

# This Gradle reports each class file of a newer Java as "malformed": hundreds of useless lines.
build() {
    status=$( { { gradle --project-dir "$here" --console plain -Pjdk25="$BRIG_JDK25" "$@" && echo 0 >&4 || echo $? >&4; } |
        sed -u '/^Malformed \(class file\|jar\) \[/d' >&3; } 4>&1 ) 3>&1
    [ "$status" = 0 ] || exit "${status:-1}"
}
if [ -z "$serve" ]; then
    build "$@"
else
    build installDist
    exec "$here/build/brig/bin/brig" serve "$@"
fi

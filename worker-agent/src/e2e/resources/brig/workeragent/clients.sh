# What programs of an agent do with a web server. To be read by a shell inside a wall; each prints a line a program:
# "NAME reached", "NAME refused WHY" or "NAME absent".

try() { # NAME PROGRAM COMMAND...
    local name=$1 program=$2 said
    shift 2
    if ! command -v "$program" > /dev/null; then echo "$name absent"; return; fi
    said=$(timeout 60 "$@" 2>&1 | tr '\n' ' ' | tail -c 400)
    case $said in *hello*) echo "$name reached" ;; *) echo "$name refused $said" ;; esac
}

cat > /tmp/Get.java << 'END'
public class Get {
    public static void main(String[] a) throws Exception {
        var request = java.net.http.HttpRequest.newBuilder(java.net.URI.create(a[0])).build();
        var client = java.net.http.HttpClient.newHttpClient();
        System.out.println(client.send(request, java.net.http.HttpResponse.BodyHandlers.ofString()).body());
    }
}
END

clients() { # BASE
    try curl curl curl -sSL "$1/page"
    try git git sh -c 'rm -rf /tmp/clone && git clone -q "$0/repo.git" /tmp/clone && cat /tmp/clone/f' "$1"
    try npm npm sh -c 'rm -rf /tmp/app && mkdir /tmp/app && cd /tmp/app && npm install --silent --no-audit --no-fund \
        --fetch-retries=0 --cache "/tmp/cache" --registry "$0" brig-pkg && node -p "require(\"brig-pkg\")"' "$1"
    try python python3 python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read())' "$1/page"
    try node node node -e 'fetch(process.argv[1]).then(r => r.text()).then(console.log)' "$1/page"
    try java java java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC /tmp/Get.java "$1/page"
}

without_proxy() { # COMMAND...: in a shell that has no variable of a proxy
    (unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY no_proxy NO_PROXY NODE_USE_ENV_PROXY; "$@")
}

# What is no HTTP at all: a port without a listener, datagrams, and a name server of the outside.
raw() {
    python3 - << 'END'
import socket
def tried(name, kind, address, port, data=b"brig"):
    with socket.socket(socket.AF_INET, kind) as s:
        s.settimeout(2)
        try:
            s.connect((address, port)); s.send(data); s.recv(100)
            print(name, "reached")
        except OSError as e:
            print(name, "refused", e)
tried("tcp", socket.SOCK_STREAM, "192.0.2.1", 9)
tried("udp", socket.SOCK_DGRAM, "192.0.2.1", 9)
tried("dns", socket.SOCK_DGRAM, "8.8.8.8", 53, bytes.fromhex("abcd01000001000000000000076578616d706c6503636f6d0000010001"))
END
}

# Those that start quickly.
few() { # URL
    try curl curl curl -sSfL "$1/page"
    try python python3 python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read())' "$1/page"
    try node node node -e 'fetch(process.argv[1]).then(r => r.text()).then(console.log)' "$1/page"
}

# A server of an agent, for tests: says what it was asked, and misbehaves where it is asked to.
use strict;
use IO::Socket::INET;
$SIG{CHLD} = 'IGNORE';
$SIG{PIPE} = 'IGNORE';
$| = 1;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 3000, Listen => 64, ReuseAddr => 1) or die "no socket: $@";
print "up\n";
while (my $client = $server->accept) {
    if (fork) { close $client; next; }
    close $server;
    $client->autoflush(1);
    my $head = '';
    while ($head !~ /\r\n\r\n/) { exit unless sysread $client, $head, 1, length $head; }
    my ($method, $path) = $head =~ /^(\S+) ([^ ?]*)/;
    if ($path eq '/head') {
        print $client "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ", length $head, "\r\n\r\n", $head;
    } elsif ($path eq '/hostile') {
        print $client "HTTP/1.1 302 \r\nSet-Cookie: brig=x; Domain=127.0.0.1; Path=/; HttpOnly\r\nSet-Cookie: broken\r\n",
            "Clear-Site-Data: \"*\"\r\nStrict-Transport-Security: max-age=99\r\nAccess-Control-Allow-Origin: *\r\n",
            "Connection: X-Hop\r\nX-Hop: 1\r\nWWW-Authenticate: Basic\r\nLocation: /in\r\nContent-Length: 0\r\n\r\n";
    } elsif ($path eq '/big') {
        print $client "HTTP/1.1 200 OK\r\n\r\n";
        print $client 'x' x 1000000 for $method eq 'HEAD' ? () : 1 .. 20;
    } elsif ($path eq '/count') {
        my ($length) = $head =~ /content-length: (\d+)/i;
        my $count = 0;
        if (defined $length) {
            while ($count < $length) { my $n = sysread $client, my $piece, 65536; last unless $n; $count += $n; }
        } else {
            while (defined(my $size = <$client>)) {
                $size = hex $size;
                my $left = $size + 2;
                while ($left > 0) { my $n = read $client, my $piece, $left; last unless $n; $left -= $n; }
                $count += $size;
                last unless $size;
            }
        }
        print $client "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", sprintf("%x\r\n", length "$count bytes"), "$count bytes\r\n0\r\n\r\n";
    } elsif ($path eq '/none') {
        print $client "HTTP/1.1 204 No Content\r\n\r\n";
    } elsif ($path eq '/garbage') {
        print $client "what is this\r\n\r\n";
    } elsif ($path eq '/switch') {
        print $client "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
        sleep 60;
    } elsif ($path eq '/longhead') {
        print $client "HTTP/1.1 200 OK\r\n";
        print $client "X-$_: ", 'x' x 1000, "\r\n" for 1 .. 1000;
    } elsif ($path eq '/cut') {
        print $client "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this";
    } elsif ($path eq '/ws') {
        print $client "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: y\r\n\r\nearly\n";
        while (defined(my $line = <$client>)) {
            last if $line eq "end\n";
            print $client "echo $line";
        }
    } elsif ($path eq '/until-end') {
        my $count = 0;
        while (my $n = sysread $client, my $piece, 65536) { $count += $n; }
        print $client "$count bytes until the end";
    }
    exit;
}

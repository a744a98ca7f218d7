# What stands in a sandbox for the worker-agent: answers GET with an upgrade, then sends back what comes.
# Usage: perl link-echo.pl PORT TOKEN
use strict;
use IO::Socket::INET;
use Digest::SHA qw(sha1_base64);

$SIG{CHLD} = 'IGNORE';
my ($port, $token) = @ARGV;
my $server = IO::Socket::INET->new(Listen => 20, LocalAddr => "127.0.0.1:$port", ReuseAddr => 1) or die "no port: $!";
$| = 1;
print "listening\n";

sub take {
    my ($socket, $length) = @_;
    my $bytes = '';
    while (length $bytes < $length) { sysread $socket, $bytes, $length - length $bytes, length $bytes or exit }
    return $bytes;
}

sub give {
    my ($socket, $bytes) = @_;
    for (my $at = 0; $at < length $bytes;) { $at += syswrite($socket, $bytes, length($bytes) - $at, $at) // exit }
}

# A frame of a client is masked, one of a server is not.
sub echo_frame {
    my ($socket) = @_;
    my ($first, $length) = unpack 'CC', take($socket, 2);
    $length &= 0x7f;
    $length = unpack 'n', take($socket, 2) if $length == 126;
    $length = unpack 'Q>', take($socket, 8) if $length == 127;
    my $mask = take($socket, 4);
    my $bytes = $length ? take($socket, $length) : '';
    $bytes ^= substr $mask x (length($bytes) / 4 + 1), 0, length $bytes;
    my $kind = $first & 0x0f;
    my $answer = $kind == 9 ? 10 : $kind;
    my $form = $length < 126 ? 'C' : $length < 65536 ? 'Cn' : 'CQ>';
    my @length = $length < 126 ? ($length) : ($length < 65536 ? 126 : 127, $length);
    give($socket, pack("C$form", 0x80 | $answer, @length) . $bytes);
    exit if $kind == 8;
}

while (my $socket = $server->accept) {
    next if fork;
    my $head = '';
    $head .= take($socket, 1) until $head =~ /\r\n\r\n$/;
    if ($head !~ /^X-Brig-Link: \Q$token\E\r$/mi) {
        give($socket, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        exit;
    }
    if ($head =~ /^Sec-WebSocket-Key: (\S+)\r$/mi) {
        my $accept = sha1_base64($1 . '258EAFA5-E914-47DA-95CA-C5AB0DC85B11') . '=';
        give($socket, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            . "Sec-WebSocket-Accept: $accept\r\n\r\n");
        echo_frame($socket) while 1;
    }
    give($socket, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: brig-link\r\nConnection: Upgrade\r\n\r\n");
    my $bytes;
    give($socket, $bytes) while sysread $socket, $bytes, 65536;
    exit;
}

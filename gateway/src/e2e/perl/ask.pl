# Says each line to a Unix socket, waits for the line that answers it, and prints that:   perl - SOCKET LINE… < ask.pl
# A line of its own connection each, for some change what the connection is.
use strict;
use warnings;
use Socket;

my ($place, @lines) = @ARGV;
for my $line (@lines) {
    socket(my $socket, PF_UNIX, SOCK_STREAM, 0) or die "socket: $!";
    connect($socket, pack_sockaddr_un($place)) or die "connect: $!";
    syswrite($socket, "$line\r\n\r\n");
    my $answer = <$socket>;
    print defined $answer ? $answer : "\n";
}

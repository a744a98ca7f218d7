# Opens connections to a port of 127.0.0.1 or a Unix socket, says some words on each, and holds them all until the other
# side has closed them:   perl - COUNT PLACE WORDS < half-open.pl
# Then it says how many were closed, and how many of them with which code.
use strict;
use warnings;
use Socket;

my ($count, $place, $words) = @ARGV;
$words =~ s/\\r/\r/g;
$words =~ s/\\n/\n/g;
$SIG{PIPE} = 'IGNORE';
$| = 1;
my $unix = $place =~ m{^/};
my $address = $unix ? pack_sockaddr_un($place) : pack_sockaddr_in($place, INADDR_LOOPBACK);
my @held;
for (1 .. $count) {
    socket(my $socket, $unix ? PF_UNIX : PF_INET, SOCK_STREAM, 0) or die "socket: $!";
    connect($socket, $address) or die "connect: $!";
    syswrite($socket, $words) if length $words;
    push @held, $socket;
}
print "open\n";
my %codes;
for my $socket (@held) {
    my $said = '';
    while (sysread($socket, my $more, 65536)) {
        $said .= $more;
    }
    $codes{$said =~ /([A-Z]+_[A-Z_]+)/ ? $1 : 'silent'}++;
}
print "closed ", scalar(@held), ": ", join(' ', map { "$_=$codes{$_}" } sort keys %codes), "\n";

package brig.loadtests.bench;

/** Resident bytes of the server at three points: before there were streams, before readers connected, and idle. */
record Memory(long beforeStreams, long beforeReaders, long idle) {}

/* The parts of brig-pace. */
#ifndef BRIG_PACE_H
#define BRIG_PACE_H

/*
 * Copies what agents write to their readers, which connect to the socket as they would to a gateway; the ids
 * of sessions are 0 to STREAMS - 1. An agent starts when it has all its readers, so none misses a line. It
 * ends when it is killed.
 */
int pipe_streams(const char *path, int streams, int readers, char **command);

#endif

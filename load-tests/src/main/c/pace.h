/* The parts of brig-pace. */
#ifndef BRIG_PACE_H
#define BRIG_PACE_H

#include <stdint.h>

/* Prints its address, and answers requests to that port of 127.0.0.1 until it is killed. */
int serve(const char *port, uint64_t bytes);

/*
 * Copies what agents write to their readers, which connect to the socket as they would to a gateway; the ids
 * of sessions are 0 to STREAMS - 1. An agent starts when it has all its readers, so none misses a line. It
 * ends when it is killed.
 */
int pipe_streams(const char *path, int streams, int readers, char **command);

/*
 * An agent that replays a native stream, as brig.loadtests.whole.Replay writes it. It ends when standard
 * input does before it began, or when standard output is closed. The first character of a line of the file
 * says what it is:
 *
 *   <  wait for a line on standard input
 *   >  write the rest; @MESSAGE@ stands for all tokens of the message before
 *   *  write the rest for each of 500 tokens, at the rate; @TOKEN@ stands for "@TIME NUMBER;"
 *   =  the lines below come again and again
 */
int replay(const char *path, double rate);

#endif

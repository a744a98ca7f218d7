/*
 * An agent that replays a native stream, as brig.loadtests.whole.Replay writes it. The first character of a
 * line of the file says what it is:
 *
 *   <  wait for a line on standard input
 *   >  write the rest; @MESSAGE@ stands for all tokens of the message before
 *   *  write the rest for each of 500 tokens, at the rate; @TOKEN@ stands for "@TIME NUMBER;"
 *   =  the lines below come again and again
 */
#ifndef BRIG_PACE_REPLAY_H
#define BRIG_PACE_REPLAY_H

/* Ends when standard input does before it began, or standard output is closed. */
int replay(const char *path, double rate);

#endif

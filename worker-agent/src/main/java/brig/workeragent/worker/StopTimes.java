package brig.workeragent.worker;

/**
 * How long a worker may take, in milliseconds.
 *
 * @param idle without a process and a message until it is ended
 * @param turn to work off one message, for agents with turns; 0 for as long as it likes
 * @param stdinGrace from closing standard input to SIGTERM
 * @param termGrace from SIGTERM to the end of all processes, and from an in-band cancel to closing
 *     standard input
 */
public record StopTimes(long idle, long turn, long stdinGrace, long termGrace) {}

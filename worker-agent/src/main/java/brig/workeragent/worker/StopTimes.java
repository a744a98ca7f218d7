package brig.workeragent.worker;

/**
 * Timeouts of a worker, in milliseconds.
 *
 * @param idle without a process and a message until it is ended
 * @param turn for one message, for agents with turns; 0 for no limit
 * @param stdinGrace from closing standard input to SIGTERM
 * @param termGrace from SIGTERM to the end of all processes, and from an in-band cancel to closing standard input
 */
public record StopTimes(long idle, long turn, long stdinGrace, long termGrace) {}

/**
 * How a gateway talks to this worker-agent: over connections to one Unix stream socket in {@code <runtimeDir>/w}, a
 * folder of mode 0700. The kernel's word for the peer's uid (SO_PEERCRED) must be our own or root's.
 *
 * <p>What the gateway says on the three kinds of connections, and what it is answered, is described in
 * {@link brig.protocol.control}.
 *
 * <h2>Frames</h2>
 *
 * <p>{@code {"type":T,"seq":N,"ts":<ms since 1970>,…}}, type and seq first and in this order, at most 64 KiB.
 * Frames count from 1 without a gap. The first of every worker is {@code state {"state":"running"}}, the last
 * {@code state {"state":"terminated","reason":R}}, where R is {@code requested}, {@code completed}, {@code
 * idle_timeout}, {@code captain_gone}, {@code disk_full}, {@code shutdown} or {@code failed}; when it is written, no process of the worker is left.
 * Where the agent's format has turns each message ends with {@code done}, and a process that ends while it works one
 * off. Otherwise each process ends with {@code done {"exit_code":N,"signal"?:"SIGTERM","reason"?:…}} behind all of its
 * output; {@code reason} is {@code cancelled}, {@code terminated}, {@code out_of_memory}, {@code disk_full}, {@code timeout}
 * or {@code start_failed}. What could not be done is {@code error {"error":…,"code":…}}; a process that could not be
 * started is an error followed by its done.
 *
 * <p>While {@code worker.unackedBytesMax} bytes or more are not acknowledged, no more output is read and the
 * agent's own write blocks. If no gateway is connected to the worker, up to {@code worker.spillBytesMax} bytes go to disk
 * before that. A worker whose last frame is acknowledged is forgotten, and its connection closed.
 */
@NullMarked
package brig.workeragent.link;

import org.jspecify.annotations.NullMarked;

/**
 * The protocol between a gateway and a worker-agent: a record for each message. All connections are made to one Unix stream
 * socket, {@code <runtimeDir>/w/link.sock}. All text is UTF-8 NDJSON: one object per line, no NUL. Unknown fields are refused
 * in requests, and ignored in answers and in lines about a worker.
 *
 * <p>The first line of a connection, a {@link brig.protocol.control.LinkPurpose} of at most 1 KiB, says what it is for. It
 * must come within 5 seconds. A first line that cannot be read is answered with a refusal, and the connection is closed.
 * <pre>
 * {"link":"control","epoch"?:N}
 * {"link":"worker","spawn_id":…,"resume":N,"epoch"?:N}
 * {"link":"port","spawn_id":…,"port":…,"epoch"?:N}
 * {"link":"shell","spawn_id":…,"rows":…,"columns":…,"term":…,"language"?:…,"epoch"?:N}
 * {"link":"egress","epoch"?:N}
 * {"link":"granted","spawn_id":…,"role":…,"address"?:…,"port"?:…,"refused"?:…}
 * {"link":"egress_events"}
 * {"link":"transfer","epoch"?:N}
 * a refusal                             {"error":…,"code":…,"retry_after_seconds"?:…}
 * </pre>
 *
 * <p>A link to a worker-agent on another host can be lost without a word, and the connections over it stay open there. So
 * a gateway numbers its links to such a host, and each connection has the {@code epoch} of its link. When the first
 * connection of a greater epoch comes, all connections of smaller ones are closed before it is served, and later ones are
 * refused with {@code LINK_FENCED}. If no line comes over the control connection for 15 seconds, all connections of its
 * epoch are closed; the gateway may connect again with the same one. Connections without an epoch are neither closed nor
 * counted.
 *
 * <h2>Control connections</h2>
 *
 * <p>Many connections, many requests in flight on each; answers come in any order and carry the request's
 * {@code id}, a whole number or a text of at most 128 characters. A line holds at most 1 MiB and a bit.
 * <pre>
 * {"id":1,"op":"hello"}                 {"id":1,"ok":{"instance":…,"pid":…,"version":…,"limits":…,
 *                                          "agents":[{"name":…,"description":…,"policy":…,"as_model":…,"needs_message":…,
 *                                          "state":…,"problem"?:…}],
 *                                          "policies":[{"name":…,"description":…}],"faults":[…]}}
 * {"id":1,"op":"ping"}                  {"id":1,"ok":{}}
 * {"id":11,"op":"check","request":{…},"captain":…,"admin"?:true,"part"?:"handover"|"place"}
 *                                       {"id":11,"ok":{}}
 * {"id":2,"op":"spawn","spawn_id":…,"request":{…},"captain":…,"admin"?:true,"via"?:…,
 *    "start"?:M,"grant"?:G,"handed"?:true,"fork"?:F}
 *                                       {"id":2,"ok":{"workspace":…,"posture":P}}
 * {"id":2,"op":"grant","spawn_id":…,"request":{…}}
 *                                       {"id":2,"ok":G}
 * {"id":2,"op":"ungrant","spawn_id":…}    {"id":2,"ok":{}}
 * {"id":2,"op":"egress_event","spawn_id":…,"event":{…}}
 *                                       {"id":2,"ok":{}}
 * {"id":2,"op":"lendable","spawn_id"?:…,"request":{…},"captain":…,"admin"?:true}
 *                                       {"id":2,"ok":{"mirror":…}}
 * {"id":2,"op":"mirror","mirror":…}       {"id":2,"ok":{"commits":[…]}}
 * {"id":3,"op":"terminate","spawn_id":…,"reason"?:…,"forget"?:true}
 *                                       {"id":3,"ok":{}}
 * {"id":4,"op":"list"}                  {"id":4,"ok":{"workers":[{"spawn_id":…,"workspace":…,
 *                                          "posture":P,"last_seq":…,"ended":…,"working":…,"asks"?:[…]}],
 *                                          "starting":[spawn_id,…]}}
 * {"id":5,"op":"doctor"}                {"id":5,"ok":{"findings":[{"name":…,"status":…,"detail":…,"mend"?:…}]}}
 * {"id":6,"op":"diff","spawn_id":…,"to"?:…,"stat"?:true}
 *                                       {"id":6,"ok":{"spawn_id":…,"to"?:…,"branch"?:…,"workspace":…,"diff":…,
 *                                          "truncated":…}}
 * {"id":6,"op":"apply","spawn_id":…,"check"?:true,"allow"?:[…]}
 *                                       {"id":6,"ok":{"spawn_id":…,"repository":…,"stat":…,"patch":…,"truncated":…,
 *                                          "applied":…,"conflicts":[…],"withheld":[{"path":…,"reason":…}]}}
 * {"id":7,"op":"workspaces"}            {"id":7,"ok":{"workspaces":[{"spawn_id":…,"task_id":…,
 *                                          "workspace_mode":…,"source":…,"branch"?:…,"workspace":…,"ended_ms":…}]}}
 * {"id":8,"op":"discard","spawn_id":…}  {"id":8,"ok":{"spawn_id":…}}
 * {"id":8,"op":"egress","spawn_id":…}    {"id":8,"ok":{"spawn_id":…,"policy":…,"way_out":…,"allowed":[…],"denied":[…],
 *                                          "tunnelled":[…],"allowed_meanwhile":[…],"secrets":[{"name":…,"hosts":[…],
 *                                          "revoked":…}],"asks":[{"host":…,"port":…,"method":…,"rule":…,"deadline_ms":…}]}}
 * {"id":9,"op":"egress","spawn_id":…,"decision":"allow"|"once"|"save"|"deny","host":…,
 *    "by"?:…,"via"?:…}
 *                                       {"id":9,"ok":{"spawn_id":…,"decision":…,"host":…,"policy"?:…,"file"?:…}}
 * {"id":10,"op":"egress","spawn_id":…,"decision":"revoke","secret":…}
 *                                       {"id":10,"ok":{"spawn_id":…,"decision":…,"secret":…}}
 * {"id":10,"op":"answer","spawn_id":…,"ask_id":…,"option"|"text":…,"by":…,"via":…,"admin"?:true}
 *                                       {"id":10,"ok":{"ask_id":…,"option"|"text":…}}
 * {"id":11,"op":"audit","from"?:…}       {"id":11,"ok":{"lines":[…],"next":…,"oldest_ms":…}}
 * {"id":11,"op":"test_route","route":…}  {"id":11,"ok":{"route":…,"base_url":…,"status":…,"text":…}}
 * {"id":11,"op":"shutdown"}             {"id":11,"ok":{}}, then this process ends
 * a refusal                             {"id":12,"error":…,"code":…,"retry_after_seconds"?:…}
 * </pre>
 *
 * <ul>
 *   <li>{@code instance} is random for each start of a worker-agent: a new value means that all earlier workers are gone.
 *   <li>{@code P} is a {@link brig.protocol.control.Posture}, measured by a separate process inside the wall before an agent
 *     starts. A list has only the id of a worker that is still starting.
 *   <li>{@code check} starts nothing. It refuses whatever {@code spawn} would refuse: the agent, the policy, the folder, or
 *     too many recent starts.
 *   <li>{@code request} is a {@link brig.protocol.spawn.SpawnRequest}. The answer comes when the worker is up. If a process
 *     starts at once (a prompt is given, or the profile has one process for the whole spawn), that is when it executes its
 *     command. {@code spawn} is idempotent by {@code spawn_id}, also while the first request is in flight; once the worker
 *     is forgotten, the id is refused with {@code SESSION_ENDED}. After a refusal the id may be used again.
 *   <li>{@code G} is a {@link brig.protocol.control.EgressGrant}. {@code grant} asks the worker-agent at home to serve the
 *     network of a worker on another host; {@code spawn} passes the grant to that host, and {@code egress_event} what
 *     happened to that network.
 *   <li>A worker on another host has profile and policy of home: {@code check} with {@code part} asks each worker-agent for
 *     its part, and {@code handed} says that a {@code take_over} comes for this spawn, which waits for it.
 *   <li>{@code M} is a {@link brig.protocol.control.MirrorStart}: the repository that the request names is on another
 *     host, and this one has a mirror of it. {@code lendable} is for the worker-agent that has the repository,
 *     {@code mirror} for the one that has the mirror.
 *   <li>{@code diff} works for a spawn with a worktree or a copy, while it runs and after its end; its text has at most
 *     512 KiB. With {@code to} it says how that worktree differs from this one. {@code workspaces} lists those that outlived their spawns because they have changes; {@code discard}
 *     deletes one.
 *   <li>{@code egress} is about a running worker: {@code allow} allows a host (with {@code :port} or without) for its
 *     lifetime, {@code save} also adds it to the file of its policy, {@code once} allows one request, {@code deny} refuses
 *     the waiting requests. What its policy denies stays denied. {@code revoke} revokes a secret permanently.
 *   <li>{@code answer} settles an open ask, and carries out what was decided about a host. Its refusals are those of
 *     {@link brig.protocol.control.ControlRequest.Answer}.
 *   <li>{@code audit} returns lines that brig-egress wrote after {@code from}, as whole lines of JSON, none at the end.
 *     {@code next} is the {@code from} of the next request. Lines before {@code oldest_ms} were deleted.
 *   <li>{@code terminate} answers at once; the end appears in the stream. The last frame has the given {@code reason} if it
 *     is a known one, else {@code requested}.
 *   <li>{@code forget} says that nobody will acknowledge the frames of that worker: it is forgotten when it has ended, and
 *     one that is still starting ends as soon as it is up. If it does not exist, a later spawn with that id is refused with
 *     {@code SESSION_ENDED}, so a gateway that does not know the result of a request can make sure.
 *   <li>A line that cannot be read is answered with {@code "id":null} and has no other effect.
 * </ul>
 *
 * <h2>Connections to ports</h2>
 *
 * <p>Each connection is forwarded to an agent's server on 127.0.0.1 inside its wall. The gateway sends nothing more before
 * the answer.
 * <pre>
 * worker-agent     {"ok":{}}, then bytes both ways; each side's end of stream is passed on;
 *                  or a refusal and the end
 * </pre>
 *
 * <h2>Connections of walls that are served at home</h2>
 *
 * <p>The gateway keeps some {@code egress} connections to the worker-agent of the other host, which wait. That
 * worker-agent takes one for each connection of a program behind such a wall, and closes those that are too many. It
 * sends nothing more before the answer.
 * <pre>
 * worker-agent     {"spawn_id":…,"role":"proxy"|"model"|"transparent"|"dns","address"?:…,"port"?:…}
 * gateway          {"ok":{}}, then bytes both ways; each side's end of stream is passed on;
 *                  or a refusal and the end
 * </pre>
 *
 * <p>The gateway checks that the worker runs on that host, and passes the connection on as a {@code granted} one, which
 * the worker-agent at home answers. On an {@code egress_events} connection it writes a {@link
 * brig.protocol.control.EgressHappened} for each event. Events that nobody reads are lost; the audit has them.
 *
 * <h2>Transfers</h2>
 *
 * <p>Each connection is for one pack, one patch or one handover, of which both sides are told the length before. The gateway
 * passes the bytes of one worker-agent on to another, and reads none of a handover. Lines have at most 4 MiB, packs 4 GiB,
 * patches 64 MiB, handovers 1 MiB.
 * <pre>
 * gateway          {"transfer":"lend","request":{…},"captain":…,"admin"?:true,"have"?:[commit,…]}
 * worker-agent     {"ok":{"mirror":…,"commit":…,"config":…,"hidden"?:[…],"head":…,"bytes":N}}, then N bytes of a pack
 *
 * gateway          {"transfer":"receive","mirror":…,"commit":…,"head":…,"bytes":N}, then N bytes of a pack
 * worker-agent     {"ok":{}}
 *
 * gateway          {"transfer":"changes","spawn_id":…}
 * worker-agent     {"ok":{"bytes":N}}, then N bytes of a patch
 * gateway          {"applied":true}          whether the repository has it now
 * worker-agent     {"ok":{}}
 *
 * gateway          {"transfer":"apply","spawn_id":…,"check"?:true,"allow"?:[…],"bytes":N}, then N bytes of a patch
 * worker-agent     {"ok":{…}}                as to {@code apply}
 *
 * gateway          {"transfer":"hand_over","spawn_id":…,"request":{…},"network"?:true}
 * worker-agent     {"ok":{"bytes":N}}, then N bytes of a handover
 *
 * gateway          {"transfer":"take_over","spawn_id":…,"bytes":N}, then N bytes of a handover, none to end it
 * worker-agent     {"ok":{}}
 *
 * a refusal        {"error":…,"code":…,"retry_after_seconds"?:…}, and the end
 * </pre>
 *
 * <h2>Connections to workers</h2>
 *
 * <p>One gateway at a time: the first line of a new connection closes the previous connection. {@code resume} is the next
 * frame wanted, at least 1. The connection is closed if there is no such worker.
 * <pre>
 * worker-agent     frames N, N+1, …              from the first one kept, if N is older; many in one write
 * gateway, any time, in any order
 *                  {"ack":N}                     every frame up to N is stored and may be dropped here
 *                  {"input":{"content":"…"}}     a message of a captain; with its {@code id}, its sender {@code by} and
 *                                                the interface {@code via}, as far as they are known
 *                  {"cancel":true}               cancel the current message
 *                  {"keys":"…"}                  for its agent's terminal, in the order of these lines
 *                  {"resize":{"cols":…,"rows":…}}  the new size of that terminal
 * </pre>
 *
 * <p>Any other line is a bug of the gateway: it is logged, and the connection is closed.
 *
 * <p>More than 14 classes: each message of the wire is one.
 */
@NullMarked
package brig.protocol.control;

import org.jspecify.annotations.NullMarked;

/** Codex: its app-server, JSON-RPC over standard input and output. */
@NullMarked
package brig.workeragent.adapter.codex;

import org.jspecify.annotations.NullMarked;

/** Codex: its app-server, JSON-RPC over standard input and output. */
@NullMarked
package brig.formats.codex;

import org.jspecify.annotations.NullMarked;

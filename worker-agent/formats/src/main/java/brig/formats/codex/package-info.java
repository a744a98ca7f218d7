/** Adapter for Codex' app-server, JSON-RPC over standard input and output, and a reader of {@code codex exec}. */
@NullMarked
package brig.formats.codex;

import org.jspecify.annotations.NullMarked;

/**
 * Adapter for Codex' app-server, JSON-RPC over standard input and output, and a reader of {@code codex exec}.
 *
 * <p>More than 14 classes: each way to start Codex has a format of its own.
 */
@NullMarked
package brig.formats.codex;

import org.jspecify.annotations.NullMarked;

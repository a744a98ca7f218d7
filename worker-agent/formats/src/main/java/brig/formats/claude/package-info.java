/**
 * Adapter for Claude Code's bidirectional stream-json, and readers of its transcripts.
 *
 * <p>More than 14 classes: each of Claude Code's formats has its own message records.
 */
@NullMarked
package brig.formats.claude;

import org.jspecify.annotations.NullMarked;

/**
 * Claude Code: bidirectional stream-json on its standard input and output.
 *
 * <p>More than 14 classes: each wire of Claude Code has its messages in a class of their own.
 */
@NullMarked
package brig.formats.claude;

import org.jspecify.annotations.NullMarked;

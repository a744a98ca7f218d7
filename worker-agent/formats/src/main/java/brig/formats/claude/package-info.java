/** Claude Code: bidirectional stream-json on its standard input and output. */
@NullMarked
package brig.formats.claude;

import org.jspecify.annotations.NullMarked;

/** Adapter for the Agent Client Protocol, and readers of OpenCode's bus events, run output and exports. */
@NullMarked
package brig.formats.acp;

import org.jspecify.annotations.NullMarked;

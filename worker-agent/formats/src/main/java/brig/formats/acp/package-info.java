/**
 * Adapter for the Agent Client Protocol, and readers of OpenCode's bus events, run output and exports.
 *
 * <p>More than 14 classes: OpenCode has a format of its own for each way to start it.
 */
@NullMarked
package brig.formats.acp;

import org.jspecify.annotations.NullMarked;

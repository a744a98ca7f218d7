/** What an editor shows of a session: its frames as the updates of the Agent Client Protocol, its files by their paths. */
@NullMarked
package brig.acp.view;

import org.jspecify.annotations.NullMarked;

/** The editor's view of a session: updates of the Agent Client Protocol from frames, and the mapping of paths. */
@NullMarked
package brig.acp.view;

import org.jspecify.annotations.NullMarked;

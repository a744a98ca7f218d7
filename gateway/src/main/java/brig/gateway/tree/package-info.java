/** The sub-agents of a session as a tree, derived from its frames alone. */
@NullMarked
package brig.gateway.tree;

import org.jspecify.annotations.NullMarked;

/** The sub-agents of a session as a tree, made of what its frames say and of nothing else. */
@NullMarked
package brig.gateway.tree;

import org.jspecify.annotations.NullMarked;

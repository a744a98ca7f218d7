/** Files that a project brings for its agents, and what Brig does with each key of them. */
@NullMarked
package brig.project;

import org.jspecify.annotations.NullMarked;

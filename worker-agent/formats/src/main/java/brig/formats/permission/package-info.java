/** Decides what an agent may do without asking a person. */
@NullMarked
package brig.formats.permission;

import org.jspecify.annotations.NullMarked;

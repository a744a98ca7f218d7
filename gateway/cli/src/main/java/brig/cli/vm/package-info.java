/** The kernel and the first files of virtual machines, made of a distribution's package. */
@NullMarked
package brig.cli.vm;

import org.jspecify.annotations.NullMarked;

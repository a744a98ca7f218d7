/** An installation from an archive, of one user: its versions, its start-up archives, its links, and how it is upgraded. */
@NullMarked
package brig.cli.install;

import org.jspecify.annotations.NullMarked;

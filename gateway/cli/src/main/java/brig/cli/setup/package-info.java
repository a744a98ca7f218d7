/** What {@code brig setup} finds on a host, installs and asks. */
@NullMarked
package brig.cli.setup;

import org.jspecify.annotations.NullMarked;

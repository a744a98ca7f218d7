/**
 * The commands of an agent that runs here, behind its wall, and works on another machine: {@code brig-shim} stands in
 * for the shells of the wall, {@link brig.workeragent.tunnel.commands.ShellServer} takes its requests, and
 * {@link brig.workeragent.tunnel.commands.RemoteCommand} runs them over the machine's one ssh master. Nothing is
 * installed there.
 *
 * <p>What comes from a wall is bytes, which need not be UTF-8. In this package such a text is a string with one
 * character (0 to 255) for each byte, called a <em>byte string</em>.
 *
 * <p>More than 14 classes: the parts of one way to a machine, of which only its ends are for other packages.
 *
 * <p>Decision 0162.
 */
@NullMarked
package brig.workeragent.tunnel.commands;

import org.jspecify.annotations.NullMarked;

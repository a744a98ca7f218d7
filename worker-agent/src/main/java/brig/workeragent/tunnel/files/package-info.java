/**
 * Folders of another host, mounted here for a wall: sshfs, with a filter between it and the far side's SFTP server that
 * refuses private files and whatever leads out of the folder. Nothing is installed on the far side.
 *
 * <p>Decision 0161.
 */
@NullMarked
package brig.workeragent.tunnel.files;

import org.jspecify.annotations.NullMarked;

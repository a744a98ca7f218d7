/**
 * Folders of another host, mounted here for a wall: sshfs, with a filter between it and the far side's SFTP server that
 * refuses private files and whatever leads out of the folder. Nothing is installed on the far side.
 *
 * <p>{@link brig.workeragent.tunnel.files.RemoteFolders} is for other packages. More than 14 classes: what the parts of
 * the filter know of unchecked packets is for nobody else.
 *
 * <p>Decision 0161.
 */
@NullMarked
package brig.workeragent.tunnel.files;

import org.jspecify.annotations.NullMarked;

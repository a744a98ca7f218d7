/** The program that unpacks an image, inside a tool wall: whoever made the image, it can harm only its own folder. */
@NullMarked
package brig.workeragent.image.unpack;

import org.jspecify.annotations.NullMarked;

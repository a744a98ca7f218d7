/** Channels of Netty. Programs that use them have Netty themselves. */
@NullMarked
package brig.protocol.channel;

import org.jspecify.annotations.NullMarked;

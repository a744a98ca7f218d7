/** Names and addresses of hosts: their forms, and which addresses no name may lead to. */
@NullMarked
package brig.protocol.address;

import org.jspecify.annotations.NullMarked;

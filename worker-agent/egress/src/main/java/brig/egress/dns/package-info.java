/** DNS: answers to queries from walls, names of addresses inside a wall, and resolution of hosts. */
@NullMarked
package brig.egress.dns;

import org.jspecify.annotations.NullMarked;

/**
 * Connections that share the input and output of one program, for hosts whose {@code sshd} forwards no sockets. The far
 * end is {@code brig-join.c}, which says what passes between the two.
 */
@NullMarked
package brig.gateway.joint;

import org.jspecify.annotations.NullMarked;

/** Logins of people at the vendors of agents: the file that keeps one, and the vendors' own files. */
@NullMarked
package brig.protocol.login;

import org.jspecify.annotations.NullMarked;

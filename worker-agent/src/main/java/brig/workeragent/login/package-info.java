/** Logins of people at vendors: the current token, and its renewal, once for all workers. */
@NullMarked
package brig.workeragent.login;

import org.jspecify.annotations.NullMarked;

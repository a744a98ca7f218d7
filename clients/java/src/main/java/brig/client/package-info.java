/**
 * Runs agents behind Brig's wall. {@link brig.client.Brig} is a gateway, {@link brig.client.Session} an agent at work.
 *
 * <p>More than 14 classes: a user of the library sees one package, and what is not for users is package-private in it.
 *
 * <p>Java 17, and nothing but the JDK. Every call that waits has a form that does not, with {@code Async} in its name. A
 * session has one thread, which reads its connection. Whatever comes is bounded and checked.
 */
@NullMarked
package brig.client;

import org.jspecify.annotations.NullMarked;

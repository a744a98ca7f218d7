/** What a captain or watcher may do with a spawn: tokens, roles, messages, readers. */
@NullMarked
package brig.gateway.session;

import org.jspecify.annotations.NullMarked;

/** Operations of captains and watchers on a spawn: tokens, roles, messages, subscriptions. */
@NullMarked
package brig.gateway.session;

import org.jspecify.annotations.NullMarked;

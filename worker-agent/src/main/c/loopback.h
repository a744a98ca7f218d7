/* What the network of a wall with egress is, outside and in a virtual machine. */
#ifndef BRIG_LOOPBACK_H
#define BRIG_LOOPBACK_H

#include <stdbool.h>

/* Makes every IPv4 address local to this network namespace: all traffic arrives at a socket of it, or at
 * none. Loopback must be up. False with errno. */
bool claim_all_addresses(void);

#endif

/* A user and a mount namespace of its own, for the starters of second kernels and for brig-overlay. */
#ifndef BRIG_OWN_NAMESPACE_H
#define BRIG_OWN_NAMESPACE_H

#include <stdbool.h>
#include <sys/types.h>

/* Has all capabilities there. This user has these numbers inside. False with errno. */
bool enter_own_namespace(uid_t uid, gid_t gid);

#endif

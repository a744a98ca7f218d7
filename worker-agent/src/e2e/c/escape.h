/* What the parts of the escape suite share. How it works stands at the top of escape.c. */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether it got out; leaves behind what was seen. Runs in a process of its own. */
typedef bool attempt(void);
struct probe {
    const char *name;
    attempt *escapes;
};
extern const struct probe file_probes[], process_probes[], kernel_probes[], namespace_probes[],
    network_probes[], egress_probes[];

/* What the test put up on the host; each is NULL or 0 where it was not told. */
extern struct host {
    const char *secret, *unix_socket, *abstract_name, *shared_memory, *address;
    int port, udp_port, pid, init;
    bool egress;          /* the wall has a network: what is sent anywhere arrives in it */
    int first_descriptor; /* above 2, found open at the start; 0 for none */
} host;

__attribute__((format(printf, 2, 3))) bool tell(bool escaped, const char *format, ...);
/* Escaped if the call succeeded; the detail is its errno otherwise. */
bool done(long result);
/* For calls too dangerous to succeed: their arguments are wrong, so it is enough that the right was not
 * missing. */
bool permitted(long result);

#endif

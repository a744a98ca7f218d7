/*
 * Ports of one side of a virtual machine that are served on the other: each side listens to what it is told
 * ("tcp ADDRESS PORT", "udp ADDRESS PORT", and "no tcp …" when that ended), and tells what it sees others on
 * its own side listen to. Addresses and ports are hexadecimal, as in /proc/net/tcp.
 */
#ifndef BRIG_VM_PORTS_H
#define BRIG_VM_PORTS_H

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

enum { PORTS_MAX = 64, ASKERS_MAX = 64, PORTS_POLLED_MAX = PORTS_MAX + ASKERS_MAX, PORTS_LOOK_MS = 100 };

/* Whether the note was one of ports. Those that cannot be served are left out. */
bool ports_note(const char *text);
/* Tells the other side what changed since the last look. */
void ports_look(bool udp_too);
size_t ports_prepare(struct pollfd *polled, size_t count);
/* Takes connections and datagrams, and passes them on. */
void ports_handle(void);
/* Outside: asks the server in the name of somebody inside. */
void ports_ask(in_port_t asker, const struct sockaddr_in *server, const char *bytes, size_t length);
/* Inside: gives the asker its answer. */
void ports_answer(in_port_t asker, const struct sockaddr_in *server, const char *bytes, size_t length);

#endif

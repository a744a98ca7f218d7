/* The parts that both programs share: addresses, sockets, the epoll loop and the clock. */
#ifndef BRIG_WIRE_H
#define BRIG_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NS_PER_MS = 1000000, NS_PER_S = 1000000000, ADDRESS_CHARS_MAX = 128 };

/* The head of every object that epoll watches; fd is -1 without a connection. */
struct source {
    int fd;
    void (*handle)(struct source *, uint32_t events);
};

/* Prints the error to standard error and exits with code 2. */
__attribute__((format(printf, 1, 2), noreturn)) void die(const char *format, ...);

/* calloc that does not fail. */
void *allocate(size_t count, size_t bytes);

uint64_t now_ns(void);

/* Creates the epoll instance, raises the limit of open files, ignores SIGPIPE. */
void loop_init(void);
/* False if the kernel cannot watch it, such as a file on disk. */
bool loop_add(struct source *source, uint32_t events);
void loop_remove(struct source *source);
/* Waits at most wait_ns and calls the handlers of ready descriptors. */
void loop_turn(uint64_t wait_ns);

/* Addresses are "host:port", with an IPv4 address as host, or "unix:PATH". */
/* A connected non-blocking socket with TCP_NODELAY; -1 and errno on failure. */
int wire_connect(const char *address);
/* A non-blocking listener; dies if the address is unavailable. Writes the real address, for port 0. */
int wire_listen(const char *address, char actual[ADDRESS_CHARS_MAX]);
/* The next connection of a listener, non-blocking; -1 if there is none. */
int wire_accept(int listener);

#endif

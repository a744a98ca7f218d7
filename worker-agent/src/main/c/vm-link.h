/*
 * The link between the two sides of a virtual machine: brig-vm.c outside, brig-guest.c inside. It is one
 * stream of bytes, a port of virtio-serial, and carries frames: type (1 byte), 0 (1 byte), number of a stream
 * (2 bytes), length (4 bytes), all little-endian, then that many bytes, at most FRAME_MAX.
 *
 *   DATA      bytes of a stream
 *   END       no more of them come
 *   CREDIT    that many more bytes of the stream may be sent (4 bytes); each begins with WINDOW
 *   UNWANTED  what comes of the stream is thrown away: its sender should end it
 *   OVER      nothing is left of the stream: once both sides said so its number is free
 *   OPEN      a stream that is a TCP connection to that address (4 bytes) and port (2 bytes, both as in IP)
 *   NOTE      a line of text, of stream 0
 *   DATAGRAM  port of the asker inside, address and port of the server (2, 4, 2 bytes), and a datagram of UDP
 *
 * Each side trusts nothing that the other sends.
 */
#ifndef BRIG_VM_LINK_H
#define BRIG_VM_LINK_H

#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FRAME_MAX = 32 * 1024,
    WINDOW = 64 * 1024,
    STREAMS_MAX = 512,
    DATAGRAM_MAX = 4096,
    NOTE_MAX = 256,
    LINK_POLLED_MAX = 2 * STREAMS_MAX + 1
};

/* Streams that are there from the start, by number. The guest opens even ones from FIRST_OPENED on, the host
 * odd ones. */
enum { NOTES, STREAM_STDIN, STREAM_STDOUT, STREAM_STDERR, STREAM_STATUS, STREAM_ORDER, FIRST_OPENED = 16 };

/* The other side broke the rules, or is gone: what the program does then. */
__attribute__((noreturn)) void link_lost(const char *why);
/* Each is called from link_handle. */
void handle_note(const char *text);
void handle_datagram(in_port_t asker, const struct sockaddr_in *server, const char *bytes, size_t length);
/* Something was read of streams: the notes that are sent now are there before it. */
void handle_read(void);
/* All of a stream has been written, and its descriptor is closed. */
void handle_end(unsigned stream);

void link_start(int fd, bool is_guest);
/* A stream from the start: what is read from IN goes to the other side, what comes from there to OUT; -1 for
 * a direction that is not used. Both become non-blocking, and are closed at their ends. */
void link_stream(unsigned stream, int in, int out);
/* Passes an accepted connection on to the same address on the other side; closes it if there is no room. */
void link_connection(int accepted);
__attribute__((format(printf, 1, 2))) void link_note(const char *format, ...);
void link_datagram(in_port_t asker, const struct sockaddr_in *server, const char *bytes, size_t length);
/* Adds what to wait for, from POLLED[COUNT] on; returns the new count. */
size_t link_prepare(struct pollfd *polled, size_t count);
/* Does what it can without waiting. */
void link_handle(void);
/* Whether all that this side was to send is sent, and all that came is written. */
bool link_is_idle(void);
/* Nothing more comes from the other side: its streams end with what is here. */
void link_end_all(void);

#endif

/* Parses requests and calls their handlers. Every length, number and name is validated. */
#define _GNU_SOURCE
#include "launcher.h"
#include "network.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char input[HEADER_MAX + BODY_MAX];
static size_t input_length;
static size_t skip_bytes; /* rest of an oversized body, which is skipped */
static bool skip_line;    /* inside a header line that was too long */

static bool parse_number(const char *text, unsigned *number) {
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    *number = (unsigned) value;
    return isdigit((unsigned char) text[0]) && *end == '\0' && errno == 0 && value < 0xFFFFFFFEUL;
}

static const char *value_of(const char *field, const char *name) {
    size_t length = strlen(name);
    return strncmp(field, name, length) == 0 && field[length] == '=' ? field + length + 1 : NULL;
}

/* Handles one field of a body; false if it is unknown, out of bounds or malformed: nothing is ignored. */
typedef bool take_field(void *into, char *field);

static bool parse_fields(char *body, size_t bytes, take_field *take, void *into) {
    bool sound = bytes == 0 || body[bytes - 1] == '\0';
    for (char *field = body; sound && field < body + bytes;) {
        char *next = field + strlen(field) + 1;
        sound = take(into, field);
        field = next;
    }
    return sound;
}

static bool take_preparation(void *into, char *field) {
    struct preparation *preparation = into;
    const char *value;
    if ((value = value_of(field, "uid")))
        return preparation->has_uid = parse_number(value, &preparation->uid);
    if ((value = value_of(field, "gid")))
        return preparation->has_gid = parse_number(value, &preparation->gid);
    if ((value = value_of(field, "cgroup")) == NULL) return false;
    if (preparation->cgroup_count == CGROUPS_MAX || value[0] != '/') return false;
    preparation->cgroups[preparation->cgroup_count++] = value;
    return true;
}

static bool take_launch(void *into, char *field) {
    struct request *request = into;
    const char *value;
    if ((value = value_of(field, "seccomp")) != NULL) {
        request->seccomp = value;
        return value[0] == '/';
    }
    if ((value = value_of(field, "stdin")) != NULL) {
        request->stdin_pipe = strcmp(value, "pipe") == 0;
        return request->stdin_pipe || strcmp(value, "null") == 0;
    }
    if ((value = value_of(field, "exec")) != NULL) {
        if (request->exec_count == ARGS_MAX) return false;
        request->exec[request->exec_count++] = field + strlen("exec=");
        return true;
    }
    if ((value = value_of(field, "before")) != NULL) {
        if (request->before_count == BEFORE_MAX || value[0] != '/') return false;
        request->before[request->before_count++] = field + strlen("before=");
        return true;
    }
    if ((value = value_of(field, "arg")) != NULL) {
        size_t bytes = strlen(value) + 1;
        memcpy(request->args + request->args_bytes, value, bytes);
        request->args_bytes += bytes;
        return true;
    }
    return false;
}

static void append(struct request *request, const char *text) {
    request->exec[request->exec_count++] = (char *) text;
}

bool parse_launch(struct request *request, char *body, size_t bytes) {
    append(request, "bwrap");
    append(request, "--args");
    append(request, "7");
    append(request, "--info-fd");
    append(request, "9");
    if (request->waits_for_network) {
        append(request, "--block-fd");
        append(request, "10");
    }
    size_t seccomp_at = request->exec_count;
    append(request, "--seccomp");
    append(request, "8");
    append(request, "--");
    size_t own = request->exec_count;
    if (!parse_fields(body, bytes, take_launch, request) || request->exec_count == own) return false;
    if (request->seccomp == NULL) {
        size_t kept = request->exec_count - seccomp_at - 2;
        memmove(request->exec + seccomp_at, request->exec + seccomp_at + 2, kept * sizeof *request->exec);
        request->exec_count -= 2;
    }
    request->exec[request->exec_count] = NULL;
    return true;
}

static bool parse_socket(struct wanted_socket *wanted, const char *text) {
    char type[4], address[INET_ADDRSTRLEN];
    unsigned port;
    int end = 0;
    if (sscanf(text, "%3s %15s %5u%n", type, address, &port, &end) != 3 || text[end] != '\0' ||
        port - 1 >= 65535) {
        return false;
    }
    wanted->type = strcmp(type, "udp") == 0 ? SOCK_DGRAM : SOCK_STREAM;
    wanted->address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t) port)};
    return (wanted->type == SOCK_DGRAM || strcmp(type, "tcp") == 0) &&
           inet_pton(AF_INET, address, &wanted->address.sin_addr) == 1;
}

struct network_request {
    struct network_order order;
    const char *to;
};

static bool take_network(void *into, char *field) {
    struct network_request *request = into;
    const char *value;
    if ((value = value_of(field, "to")) != NULL) {
        request->to = value;
        return value[0] == '/';
    }
    if ((value = value_of(field, "listen")) == NULL || request->order.count == SOCKETS_MAX) return false;
    return parse_socket(&request->order.sockets[request->order.count++], value);
}

static void handle_network(const char *id, char *body, size_t bytes) {
    struct network_request request = {.order.verb = SET_UP};
    if (parse_fields(body, bytes, take_network, &request) && request.to != NULL) {
        do_network(id, &request.order, request.to);
    } else {
        do_refuse(id, "EINVAL");
    }
}

/* NAME=NUMBER; the name is that of a file, without a path. */
static bool take_bound(void *into, char *field) {
    struct network_order *order = into;
    size_t length = strspn(field, "abcdefghijklmnopqrstuvwxyz_");
    if (order->bound_count == BOUNDS_MAX || length == 0 || length > BOUND_NAME_MAX || field[length] != '=')
        return false;
    struct bound *bound = &order->bounds[order->bound_count++];
    memcpy(bound->name, field, length);
    return parse_number(field + length + 1, &bound->most);
}

static void handle_bounds(const char *id, char *body, size_t bytes) {
    struct network_order order = {.verb = BOUND};
    if (parse_fields(body, bytes, take_bound, &order)) do_bounds(id, &order);
    else do_refuse(id, "EINVAL");
}

static bool handle_socket(const char *verb, const char *id, const char *number_text, const char *port_text) {
    struct network_order order = {.verb = strcmp(verb, "listen") == 0 ? LISTEN : DIAL, .count = 1};
    unsigned number, port;
    if (number_text == NULL || port_text == NULL || (order.verb == DIAL && strcmp(verb, "dial") != 0) ||
        !parse_number(number_text, &number) || number == 0 || !parse_number(port_text, &port) ||
        port - 1 >= 65535)
        return false;
    order.sockets[0] = (struct wanted_socket){
        .type = SOCK_STREAM,
        .address = {.sin_family = AF_INET,
                    .sin_port = htons((uint16_t) port),
                    .sin_addr.s_addr = htonl(order.verb == DIAL ? INADDR_LOOPBACK : INADDR_ANY)},
    };
    do_socket(id, number, &order);
    return true;
}

static void handle_prepare(const char *id, char *body, size_t bytes) {
    struct preparation preparation = {0};
    bool sound = parse_fields(body, bytes, take_preparation, &preparation);
    if (sound && preparation.has_uid == preparation.has_gid) do_prepare(id, &preparation);
    else reply("failed %s request EINVAL", id);
}

static bool is_id(const char *text) {
    size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    return length > 0 && length <= ID_MAX && text[length] == '\0';
}

static void handle_order(const char *verb, const char *id, const char *rest, const char *more) {
    unsigned number = 0;
    if (strcmp(verb, "opened") == 0) do_opened(id);
    else if (strcmp(verb, "kill") == 0) do_kill(id);
    else if (strcmp(verb, "signal") == 0 && rest != NULL && parse_number(rest, &number) &&
             (number == SIGTERM || number == SIGINT || number == SIGHUP))
        do_signal(id, (int) number);
    else if (!handle_socket(verb, id, rest, more)) reply("error order not known");
}

/* Handles one request at the start of TEXT and returns its bytes; 0 if it is not complete. */
static size_t handle_request(char *text, size_t length) {
    char *newline = memchr(text, '\n', length < HEADER_MAX ? length : HEADER_MAX);
    if (newline == NULL) {
        if (length < HEADER_MAX) return 0;
        reply("error header too long");
        skip_line = true;
        return length;
    }
    size_t header = (size_t) (newline - text) + 1;
    char copy[HEADER_MAX];
    memcpy(copy, text, header - 1);
    copy[header - 1] = '\0';
    char *place;
    char *verb = strtok_r(copy, " ", &place);
    char *id = strtok_r(NULL, " ", &place);
    char *rest = strtok_r(NULL, " ", &place);
    if (verb == NULL || id == NULL || !is_id(id)) {
        reply("error header malformed");
        return header;
    }
    bool prepare = strcmp(verb, "prepare") == 0, network = strcmp(verb, "network") == 0;
    bool bounds = strcmp(verb, "bounds") == 0;
    if (!prepare && !network && !bounds && strcmp(verb, "launch") != 0) {
        handle_order(verb, id, rest, strtok_r(NULL, " ", &place));
        return header;
    }
    unsigned bytes;
    if (rest == NULL || !parse_number(rest, &bytes)) {
        do_refuse(id, "EINVAL");
        return header;
    }
    if (bytes > BODY_MAX) {
        do_refuse(id, "E2BIG");
        skip_bytes = bytes;
        return header;
    }
    if (length - header < bytes) return 0;
    if (prepare) handle_prepare(id, text + header, bytes);
    else if (network) handle_network(id, text + header, bytes);
    else if (bounds) handle_bounds(id, text + header, bytes);
    else do_launch(id, text + header, bytes);
    return header + bytes;
}

/* Returns the number of bytes skipped at the start of TEXT. */
static size_t skip(const char *text, size_t length) {
    if (skip_line) {
        const char *newline = memchr(text, '\n', length);
        skip_line = newline == NULL;
        return newline == NULL ? length : (size_t) (newline - text) + 1;
    }
    size_t count = skip_bytes < length ? skip_bytes : length;
    skip_bytes -= count;
    return count;
}

void handle_input(void) {
    ssize_t count = read(STDIN_FILENO, input + input_length, sizeof input - input_length);
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) exit(0); /* the worker-agent is gone; all walls end with us */
    input_length += (size_t) count;
    size_t done = 0;
    for (size_t step = 1; step > 0 && done < input_length; done += step) {
        bool skipping = skip_line || skip_bytes > 0;
        step = skipping ? skip(input + done, input_length - done)
                        : handle_request(input + done, input_length - done);
    }
    input_length -= done;
    memmove(input, input + done, input_length);
}

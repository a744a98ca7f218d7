/* The parts of brig-pace. */
#ifndef BRIG_PACE_H
#define BRIG_PACE_H

#include <stdint.h>

/* Answers requests to that port of 127.0.0.1 until it is killed. */
int serve(const char *port, uint64_t bytes);

#endif

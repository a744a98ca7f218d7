/* Log-linear: 128 buckets for each power of two, so a bucket is under 0.8 % wide. */
#ifndef BRIG_HISTOGRAM_H
#define BRIG_HISTOGRAM_H

#include <stdint.h>

enum { SUB_BUCKET_BITS = 7, BUCKETS = (64 - SUB_BUCKET_BITS + 1) << SUB_BUCKET_BITS };

struct histogram {
    uint64_t counts[BUCKETS];
};
void histogram_record(struct histogram *histogram, uint64_t value);
/* The highest value of a bucket. */
uint64_t histogram_upper(unsigned bucket);
/* The upper end of the quantile's bucket; 0 if nothing was recorded. */
uint64_t histogram_quantile(const struct histogram *histogram, double quantile);

#endif

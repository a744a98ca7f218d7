#include "histogram.h"

void histogram_record(struct histogram *histogram, uint64_t value) {
    int shift = 63 - __builtin_clzll(value | 1) - SUB_BUCKET_BITS;
    if (shift < 0) shift = 0;
    histogram->counts[((uint64_t) shift << SUB_BUCKET_BITS) + (value >> shift)]++;
}

uint64_t histogram_upper(unsigned bucket) {
    unsigned shift = bucket >> SUB_BUCKET_BITS;
    if (shift > 0) shift--;
    uint64_t scaled = bucket - ((uint64_t) shift << SUB_BUCKET_BITS);
    return ((scaled + 1) << shift) - 1;
}

uint64_t histogram_quantile(const struct histogram *histogram, double quantile) {
    uint64_t total = 0, reached = 0;
    for (unsigned i = 0; i < BUCKETS; i++) total += histogram->counts[i];
    for (unsigned i = 0; i < BUCKETS; i++) {
        reached += histogram->counts[i];
        if (histogram->counts[i] > 0 && (double) reached >= quantile * (double) total)
            return histogram_upper(i);
    }
    return 0;
}

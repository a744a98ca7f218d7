#define _GNU_SOURCE
#include "load.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct figures disturbed, quiet;
struct histogram send_lag_ns;

static char first_fault[256];
static uint64_t started_ns, ended_ns, published_measured;
static uint64_t delivered_disturbed, delivered_quiet;
static double own_cpu, server_cpu[SERVERS_MAX];
static uint64_t memory_before[SERVERS_MAX], memory_peak[SERVERS_MAX];

/* ---- faults ---- */

void fault(const char *format, ...) {
    if (first_fault[0] != 0) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(first_fault, sizeof first_fault, format, arguments);
    va_end(arguments);
}

bool has_fault(void) {
    return first_fault[0] != 0;
}

/* ---- processes ---- */

/* CPU time of all threads of a process, ended ones included, from the kernel's counters in nanoseconds. */
static double cpu_of(int pid) {
    clockid_t clock;
    struct timespec used = {0, 0};
    if (clock_getcpuclockid(pid, &clock) == 0) clock_gettime(clock, &used);
    return (double) used.tv_sec + (double) used.tv_nsec / NS_PER_S;
}

static uint64_t resident_bytes(int pid) {
    char path[32];
    unsigned long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
    fclose(file);
    return pages * (uint64_t) sysconf(_SC_PAGESIZE);
}

void figures_sample_memory(void) {
    for (int i = 0; i < options.server_count; i++) {
        uint64_t bytes = resident_bytes(options.servers[i]);
        if (bytes > memory_peak[i]) memory_peak[i] = bytes;
    }
}

/* ---- the measured time ---- */

uint64_t delivered_frames(void) {
    return disturbed.delivered + quiet.delivered;
}

void figures_start(void) {
    memset(&disturbed.latency_ns, 0, sizeof disturbed.latency_ns);
    memset(&quiet.latency_ns, 0, sizeof quiet.latency_ns);
    memset(&send_lag_ns, 0, sizeof send_lag_ns);
    delivered_disturbed = disturbed.delivered;
    delivered_quiet = quiet.delivered;
    published_measured = published_frames();
    for (int i = 0; i < options.server_count; i++) {
        server_cpu[i] = -cpu_of(options.servers[i]);
        memory_before[i] = memory_peak[i] = resident_bytes(options.servers[i]);
    }
    own_cpu = -cpu_of(getpid());
    started_ns = now_ns();
}

void figures_end(void) {
    ended_ns = now_ns();
    own_cpu += cpu_of(getpid());
    for (int i = 0; i < options.server_count; i++) server_cpu[i] += cpu_of(options.servers[i]);
    delivered_disturbed = disturbed.delivered - delivered_disturbed;
    delivered_quiet = quiet.delivered - delivered_quiet;
    published_measured = published_frames() - published_measured;
    figures_sample_memory();
}

/* ---- output ---- */

static void print_text(const char *name, const char *text) {
    printf("\"%s\":", name);
    if (text[0] == 0) {
        fputs("null", stdout);
        return;
    }
    putchar('"');
    for (; *text != 0; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar((unsigned char) *text < ' ' ? ' ' : *text);
    }
    putchar('"');
}

static void print_memory(const char *name) {
    printf("\"%s\":[", name);
    for (int i = 0; i < options.server_count; i++) {
        printf("%s%llu", i > 0 ? "," : "", (unsigned long long) resident_bytes(options.servers[i]));
    }
    putchar(']');
}

void figures_print_progress(double seconds) {
    static uint64_t last;
    uint64_t delivered = delivered_frames();
    printf("{\"event\":\"progress\",\"delivered\":%llu,\"per_second\":%.0f,", (unsigned long long) delivered,
           (double) (delivered - last) / seconds);
    last = delivered;
    print_memory("rss_bytes");
    puts("}");
    fflush(stdout);
}

void figures_print_idle(void) {
    fputs("{\"event\":\"idle\",", stdout);
    print_memory("rss_bytes");
    puts("}");
    fflush(stdout);
}

static void print_figures(const struct figures *figures) {
    printf("\"delivered\":%llu,\"damaged\":%llu,\"missing\":%llu,\"repeated\":%llu,\"gaps\":%llu,\"gap_"
           "frames\":%llu,"
           "\"latency_ns\":[",
           (unsigned long long) figures->delivered, (unsigned long long) figures->damaged,
           (unsigned long long) figures->missing, (unsigned long long) figures->repeated,
           (unsigned long long) figures->gaps, (unsigned long long) figures->gap_frames);
    bool first = true;
    for (unsigned i = 0; i < BUCKETS; i++) {
        if (figures->latency_ns.counts[i] == 0) continue;
        printf("%s[%llu,%llu]", first ? "" : ",", (unsigned long long) histogram_upper(i),
               (unsigned long long) figures->latency_ns.counts[i]);
        first = false;
    }
    putchar(']');
}

static void add(struct figures *sum, const struct figures *figures) {
    sum->delivered += figures->delivered;
    sum->damaged += figures->damaged;
    sum->missing += figures->missing;
    sum->repeated += figures->repeated;
    sum->gaps += figures->gaps;
    sum->gap_frames += figures->gap_frames;
    for (unsigned i = 0; i < BUCKETS; i++) sum->latency_ns.counts[i] += figures->latency_ns.counts[i];
}

bool figures_print_result(void) {
    static struct figures all;
    /* Frames that arrived after the measured time were checked, but do not count. */
    disturbed.delivered = delivered_disturbed;
    quiet.delivered = delivered_quiet;
    add(&all, &disturbed);
    add(&all, &quiet);
    if (all.damaged + all.missing + all.repeated > 0) {
        fault("%llu frames damaged, %llu missing, %llu repeated", (unsigned long long) all.damaged,
              (unsigned long long) all.missing, (unsigned long long) all.repeated);
    }
    double seconds = (double) (ended_ns - started_ns) / NS_PER_S, servers = 0;
    printf("{\"event\":\"result\",\"ok\":%s,", has_fault() ? "false" : "true");
    print_text("fault", first_fault);
    printf(",\"seconds\":%.6f,\"published\":%llu,\"reconnects\":%llu,\"cpu_seconds\":[", seconds,
           (unsigned long long) published_measured, (unsigned long long) reconnects);
    for (int i = 0; i < options.server_count; i++) {
        printf("%s%.6f", i > 0 ? "," : "", server_cpu[i]);
        servers += server_cpu[i];
    }
    fputs("],", stdout);
    print_memory("rss_bytes");
    fputs(",\"rss_peak_growth_bytes\":[", stdout);
    for (int i = 0; i < options.server_count; i++) {
        printf("%s%llu", i > 0 ? "," : "", (unsigned long long) (memory_peak[i] - memory_before[i]));
    }
    printf("],\"generator_cpu_share\":%.4f,\"server_cpu_share\":%.4f,\"send_lag_ns_p99\":%llu,\"send_lag_ns_"
           "max\":%llu,",
           seconds > 0 ? own_cpu / seconds : 0, seconds > 0 ? servers / seconds : 0,
           (unsigned long long) histogram_quantile(&send_lag_ns, 0.99),
           (unsigned long long) histogram_quantile(&send_lag_ns, 1));
    print_figures(&all);
    fputs(",\"quiet\":{", stdout);
    print_figures(&quiet);
    puts("}}");
    fflush(stdout);
    return !has_fault();
}

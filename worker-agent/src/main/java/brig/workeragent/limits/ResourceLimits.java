package brig.workeragent.limits;

/**
 * The limits of one worker with all its processes.
 *
 * @param memoryBytesMax  bytes of memory, files in its {@code /tmp} and home included; reached: the kernel kills the
 *     process that asked ({@code rlimits} level: the allocation fails, counted per process)
 * @param pidsMax         processes and threads; reached: {@code fork} fails
 * @param cpuPercentMax   percent of one core, so 200 is two cores; reached: the worker waits ({@code rlimits} level:
 *     not enforced)
 * @param fileBytesMax    bytes of one file; reached: SIGXFSZ
 * @param openFilesMax    open descriptors per process; reached: {@code open} fails
 */
public record ResourceLimits(long memoryBytesMax, int pidsMax, int cpuPercentMax, long fileBytesMax, int openFilesMax) {

    private static final long MIB = 1024 * 1024;

    /** Enough for an agent that runs a build: 4 GiB, 512 processes, two cores, files of 4 GiB. */
    public static final ResourceLimits DEFAULT = new ResourceLimits(4096 * MIB, 512, 200, 4096 * MIB, 4096);

    public ResourceLimits {
        atLeast("memoryBytesMax", memoryBytesMax, 8 * MIB);
        atLeast("pidsMax", pidsMax, 4);
        atLeast("cpuPercentMax", cpuPercentMax, 1);
        atLeast("fileBytesMax", fileBytesMax, MIB);
        atLeast("openFilesMax", openFilesMax, 16);
    }

    private static void atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is " + value + ", must be at least " + least);
        }
    }
}

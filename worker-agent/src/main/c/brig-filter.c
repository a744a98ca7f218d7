/*
 * libbrig-filter.so: installs a system call filter on all threads of the calling JVM at once. A filter set
 * before the JVM is executed would have to allow execve. It is not part of the wall: brig-egress loads it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <jni.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INSTRUCTIONS_MAX BPF_MAXINSNS

/* Returns 0, or an errno. */
JNIEXPORT jint JNICALL Java_brig_egress_confinement_SystemCallFilter_install(JNIEnv *env, jclass caller,
                                                                             jbyteArray program) {
    (void) caller;
    struct sock_filter instructions[INSTRUCTIONS_MAX];
    jsize bytes = (*env)->GetArrayLength(env, program);
    if (bytes <= 0 || bytes % (jsize) sizeof instructions[0] != 0 || bytes > (jsize) sizeof instructions)
        return EINVAL;
    (*env)->GetByteArrayRegion(env, program, 0, bytes, (jbyte *) instructions);
    struct sock_fprog filter = {(unsigned short) ((size_t) bytes / sizeof instructions[0]), instructions};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    /* A positive value is the id of a thread that could not be synchronized. */
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    return result == 0 ? 0 : result > 0 ? ESRCH : errno;
}

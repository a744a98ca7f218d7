/*
 * libbrig-filter.so: a JVM gives itself a filter of system calls, on all of its threads at once. Not set from
 * outside, before the JVM is executed, because that filter would have to allow execve. No file of the wall's:
 * it is loaded by brig-egress.
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

/* Returns 0, or the number of an error. */
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
    /* Above 0 it is the id of a thread that could not take it. */
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    return result == 0 ? 0 : result > 0 ? ESRCH : errno;
}

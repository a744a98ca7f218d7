/*
 * libbrig-files.so: reads a small file that others may replace concurrently. The JDK would block for ever
 * when it opens a pipe without a writer, and cannot be told otherwise. Loaded by the worker-agent.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES_MAX = 4096 };

/* Opens NAME below FOLDER without following links and without blocking. NAME is changed. Returns -1 with
 * errno. */
static int open_below(const char *folder, char *name) {
    int above = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    char *rest = name;
    for (char *part; above >= 0 && (part = strsep(&rest, "/")) != NULL;) {
        int flags = rest != NULL ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK | O_NOCTTY;
        int below = openat(above, part, flags | O_NOFOLLOW | O_CLOEXEC);
        int error = errno;
        close(above);
        errno = error;
        above = below;
    }
    return above;
}

/* Reads up to SIZE bytes of a file. Returns their number, or -1 with errno: ENOENT if it is not a regular
 * file. */
static ssize_t read_file(int fd, char *bytes, size_t size) {
    struct stat file;
    if (fstat(fd, &file) != 0) return -1;
    if (!S_ISREG(file.st_mode)) {
        errno = ENOENT;
        return -1;
    }
    size_t length = 0;
    ssize_t count = 1;
    while (count > 0 && length < size) {
        count = read(fd, bytes + length, size - length);
        if (count > 0) length += (size_t) count;
    }
    return count < 0 ? -1 : (ssize_t) length;
}

static void copy(JNIEnv *env, jbyteArray from, char *to) {
    jsize length = (*env)->GetArrayLength(env, from);
    if (length >= PATH_BYTES_MAX) length = 0;
    (*env)->GetByteArrayRegion(env, from, 0, length, (jbyte *) to);
    to[length] = '\0';
}

/* Fills BYTES. Returns the number of bytes, or a negative errno. */
JNIEXPORT jint JNICALL Java_brig_workeragent_wall_PlainFile_read(JNIEnv *env, jclass caller,
                                                                 jbyteArray folder, jbyteArray name,
                                                                 jbyteArray bytes) {
    (void) caller;
    char above[PATH_BYTES_MAX], below[PATH_BYTES_MAX];
    copy(env, folder, above);
    copy(env, name, below);
    jsize size = (*env)->GetArrayLength(env, bytes);
    char *buffer = malloc((size_t) size + 1);
    if (buffer == NULL) return -ENOMEM;
    int fd = open_below(above, below);
    ssize_t length = fd < 0 ? -1 : read_file(fd, buffer, (size_t) size);
    jint result = length < 0 ? -errno : (jint) length;
    if (fd >= 0) close(fd);
    if (length > 0) (*env)->SetByteArrayRegion(env, bytes, 0, (jsize) length, (const jbyte *) buffer);
    free(buffer);
    return result;
}

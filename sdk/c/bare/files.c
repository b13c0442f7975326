/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of a machine that has none: descriptors stand for files of the emulator's host. The C library asks by the names
 * that begin with `_`, the SDK and adapters by those of POSIX. A host's read gives what there is, so that a
 * conversation by lines is one here as well.
 */
#include "bare.h"
#include "semihosting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 16

int _open(const char *path, int flags, int mode);
int _close(int file);
int _read(int file, char *to, int room);
int _write(int file, const char *bytes, int len);
int _fstat(int file, struct stat *found);
int _stat(const char *path, struct stat *found);
int _isatty(int file);
int _lseek(int file, int offset, int from);

enum { FREE = 0, NOWHERE = -1 };

/* What a descriptor is: the host's handle (above 0), nothing at all, or free. */
static int32_t handle[FILES];
static int32_t input; /* the host's handle of standard input, wherever its descriptor was moved */
static bool input_ended;
static int64_t taken; /* bytes of the host that are not of the conversation */

static int32_t host_open(const char *path, int how)
{
    const volatile uint32_t words[] = {cs_word(path), (uint32_t)how, strlen(path)};
    return cs_host(HOST_OPEN, words);
}

/* Opens the usual three: without a system, they are not open at start. */
static void begin(void)
{
    static bool begun;
    if (begun)
        return;
    begun = true;
    handle[0] = input = host_open("/dev/stdin", HOST_FOR_READING);
    handle[1] = host_open("/dev/stdout", HOST_FOR_WRITING);
    handle[2] = host_open("/dev/stderr", HOST_FOR_WRITING);
}

static int refuse(int why)
{
    errno = why;
    return -1;
}

static bool is_open(int file)
{
    begin();
    return file >= 0 && file < FILES && handle[file] != FREE;
}

static int placed(int32_t what)
{
    for (int file = 3; file < FILES; file++)
        if (handle[file] == FREE) {
            handle[file] = what;
            return file;
        }
    return refuse(EMFILE);
}

int _open(const char *path, int flags, int mode)
{
    (void)mode;
    begin();
    if (strcmp(path, "/dev/null") == 0)
        return placed(NOWHERE);
    if ((flags & O_ACCMODE) != O_RDONLY)
        return refuse(EROFS);
    int32_t opened = host_open(path, HOST_FOR_READING);
    return opened > 0 ? placed(opened) : refuse(ENOENT);
}

int _close(int file)
{
    if (!is_open(file))
        return refuse(EBADF);
    const volatile uint32_t words[] = {(uint32_t)handle[file]};
    bool shared = handle[file] == NOWHERE;
    for (int other = 0; other < FILES; other++)
        shared = shared || (other != file && handle[other] == handle[file]);
    if (!shared)
        cs_host(HOST_CLOSE, words);
    handle[file] = FREE;
    return 0;
}

int _read(int file, char *to, int room)
{
    if (!is_open(file))
        return refuse(EBADF);
    if (handle[file] == NOWHERE)
        return 0;
    const volatile uint32_t words[] = {(uint32_t)handle[file], cs_word(to), (uint32_t)room};
    int32_t missing = cs_host(HOST_READ, words);
    input_ended = input_ended || (handle[file] == input && missing == room);
    if (missing < 0 || missing > room)
        return refuse(EIO);
    taken += handle[file] == input ? 0 : room - missing;
    return room - missing;
}

int64_t cs_host_bytes(void)
{
    return taken;
}

int _write(int file, const char *bytes, int len)
{
    if (!is_open(file))
        return refuse(EBADF);
    if (handle[file] == NOWHERE)
        return len;
    const volatile uint32_t words[] = {(uint32_t)handle[file], cs_word(bytes), (uint32_t)len};
    int32_t missing = cs_host(HOST_WRITE, words);
    return missing < 0 || missing >= len ? refuse(EPIPE) : len - missing;
}

/* The C library asks what kind of file its streams are; one that is no terminal gets a buffer. */
int _fstat(int file, struct stat *found)
{
    if (!is_open(file))
        return refuse(EBADF);
    memset(found, 0, sizeof *found);
    found->st_mode = S_IFIFO;
    return 0;
}

int _stat(const char *path, struct stat *found)
{
    (void)path;
    (void)found;
    return refuse(ENOENT);
}

int _isatty(int file)
{
    (void)file;
    return 0;
}

int _lseek(int file, int offset, int from)
{
    (void)file;
    (void)offset;
    (void)from;
    return refuse(ESPIPE);
}

int dup2(int file, int as)
{
    if (!is_open(file) || as < 0 || as >= FILES)
        return refuse(EBADF);
    if (as != file) {
        if (handle[as] != FREE)
            _close(as);
        handle[as] = handle[file];
    }
    return as;
}

bool cs_input_ended(void)
{
    return input_ended;
}

void cs_files_close(void)
{
    for (int file = 0; file < FILES; file++)
        if (handle[file] != FREE)
            _close(file);
}

/* A second descriptor of the same; there are too few for a least number. */
int fcntl(int file, int what, ...)
{
    if (!is_open(file))
        return refuse(EBADF);
    return what == F_DUPFD || what == F_DUPFD_CLOEXEC ? placed(handle[file]) : 0;
}

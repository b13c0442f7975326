/* SPDX-License-Identifier: Apache-2.0
 *
 * What a port to a board without files gives in place of folders, which upstream asks for under every no-* word: there
 * are none.
 */
#ifndef FOOTPRINT_OPENSSL_DIRENT_H
#define FOOTPRINT_OPENSSL_DIRENT_H

#include <errno.h>
#include <stddef.h>

typedef struct folder DIR;

struct dirent {
    char d_name[1];
};

static inline DIR *opendir(const char *name)
{
    (void)name;
    errno = ENOSYS;
    return NULL;
}

static inline struct dirent *readdir(DIR *folder)
{
    (void)folder;
    return NULL;
}

static inline int closedir(DIR *folder)
{
    (void)folder;
    return -1;
}

#endif

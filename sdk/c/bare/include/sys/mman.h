/* SPDX-License-Identifier: Apache-2.0
 *
 * Anonymous mappings, which are of the heap here.
 */
#ifndef CS_BARE_MMAN_H
#define CS_BARE_MMAN_H

#include <stddef.h>
#include <sys/types.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 32
#define MAP_FAILED ((void *)-1)

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int munmap(void *at, size_t size);
int mprotect(void *at, size_t size, int protection);

#endif

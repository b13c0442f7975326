/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of threads that the SDK needs: one function on a separate stack. pthread_create returns after it has ended.
 */
#ifndef CS_BARE_PTHREAD_H
#define CS_BARE_PTHREAD_H

#include <stddef.h>

typedef unsigned long cs_thread;
typedef struct cs_thread_how {
    void *top;
} cs_thread_how;
#define pthread_t cs_thread
#define pthread_attr_t cs_thread_how

/* The size of a second stack in bytes: that of the program's own, on which the same calls were proven. It is a symbol
 * of the linker. */
extern char cs_stack_bytes[];
#define CS_THREAD_BYTES ((size_t)cs_stack_bytes)

int pthread_attr_init(pthread_attr_t *made);
int pthread_attr_destroy(pthread_attr_t *made);
int pthread_attr_setstack(pthread_attr_t *made, void *low, size_t size);
int pthread_create(pthread_t *made, const pthread_attr_t *how, void *(*work)(void *), void *what);
int pthread_join(pthread_t made, void **result);

#endif

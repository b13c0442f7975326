/* SPDX-License-Identifier: Apache-2.0
 *
 * What the hand-written loops of long calls share. Nothing of the SDK, of an adapter, or of the minimal programs: a
 * program makes keys of its own, and prints what repetitions of a plain loop took.
 *
 * Started as `PROGRAM OPERATION REPEATS`. It prints "calls N", and "rep NS NS CHAIN_NS WIDE_NS" for each repetition:
 * the two chains, before it, are a cycle of the core and an addition among others.
 */
#ifndef BENCH_LONG_H
#define BENCH_LONG_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEYS = 16, REPEATS_MOST = 400 }; /* of a verifier, which meets as many in turn */

#define ADDS 48000

static void die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define TEN(x) x x x x x x x x x x

__attribute__((noinline, aligned(64))) static double chain_ns(void)
{
    uint64_t a = 1, b = 3;
    double from = now_ns();
    for (int i = 0; i < ADDS / 10; i++) {
        TEN(__asm__ volatile("" : "+r"(a), "+r"(b)); a += b;)
    }
    __asm__ volatile("" ::"r"(a));
    return (now_ns() - from) / ADDS;
}

__attribute__((noinline, aligned(64))) static double wide_ns(void)
{
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, y = 7;
    double from = now_ns();
    for (int i = 0; i < ADDS / 10; i++) {
        TEN(__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(y)); a += y; b += y; c += y; d += y;
            e += y;)
    }
    __asm__ volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d), "r"(e));
    return (now_ns() - from) / (5.0 * ADDS);
}

/* `call` is true if the call went well; it may use `i`, which counts calls. */
#define LOOP(repeats, call)                                                                                            \
    do {                                                                                                               \
        static double wall_[REPEATS_MOST], chain_[REPEATS_MOST + 1], wide_[REPEATS_MOST + 1];                          \
        size_t i = 0, calls_, n_;                                                                                      \
        int good_ = 1;                                                                                                 \
        double from_ = now_ns(), least_ = 1e12;                                                                        \
        while (now_ns() - from_ < 3e7 || i < 4 * KEYS) {                                                               \
            double start_ = now_ns();                                                                                  \
            good_ &= (call);                                                                                           \
            i++;                                                                                                       \
            least_ = now_ns() - start_ < least_ ? now_ns() - start_ : least_;                                          \
        }                                                                                                              \
        calls_ = least_ > 1e5 ? 1 : (size_t)(1e5 / least_);                                                            \
        for (n_ = 0; n_ < (repeats); n_++) {                                                                           \
            chain_[n_] = chain_ns();                                                                                   \
            wide_[n_] = wide_ns();                                                                                     \
            double start_ = now_ns();                                                                                  \
            for (size_t end_ = i + calls_; i < end_; i++)                                                              \
                good_ &= (call);                                                                                       \
            wall_[n_] = now_ns() - start_;                                                                             \
        }                                                                                                              \
        chain_[n_] = chain_ns();                                                                                       \
        wide_[n_] = wide_ns();                                                                                         \
        if (!good_)                                                                                                    \
            die("a call failed");                                                                                      \
        printf("calls %zu\n", calls_);                                                                                 \
        for (n_ = 0; n_ < (repeats); n_++)                                                                             \
            printf("rep %.0f %.0f %.6f %.6f\n", wall_[n_], wall_[n_], chain_[n_], wide_[n_]);                          \
        printf("rep 0 0 %.6f %.6f\n", chain_[n_], wide_[n_]);                                                          \
    } while (0)

static size_t repeats_of(int argc, char **argv)
{
    size_t n = argc == 3 ? (size_t)atol(argv[2]) : 0;
    if (n < 1 || n > REPEATS_MOST)
        die("usage: PROGRAM OPERATION REPEATS");
    return n;
}

static int is(char **argv, const char *operation)
{
    return strcmp(argv[1], operation) == 0;
}

#endif

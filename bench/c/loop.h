/* SPDX-License-Identifier: Apache-2.0
 *
 * What the hand-written loops share: inputs from the command line, buffers, and the conversation. Nothing of the SDK.
 *
 * A program is started as `PROGRAM OPERATION name=HEX ...`. It makes one call, prints its output in hexadecimal, and
 * then answers each line "CALLS LEAD" of its input with the nanoseconds that CALLS calls took after LEAD untimed ones.
 */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct bytes {
    uint8_t *data;
    size_t len;
};

static void die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

struct inputs {
    struct bytes key, iv, aad, tag, pub, sig, msg;
    uint8_t *out;
};

/* Where the text of an input begins, or NULL. */
static const char *given(int argc, char **argv, const char *name)
{
    size_t n = strlen(name);
    for (int i = 2; i < argc; i++)
        if (strncmp(argv[i], name, n) == 0 && argv[i][n] == '=')
            return argv[i] + n + 1;
    return NULL;
}

/* Inputs and output lie as they do in a worker, to the byte: in one block of pages, from an offset that follows the
 * length of CS_PAD, each at a multiple of 64, the output 1088 bytes after the message modulo 4096. Some code is a
 * percent faster at one offset than at another, and that is not what is compared here. */
static struct inputs place(int argc, char **argv)
{
    static const char *const name[] = {"key", "iv", "aad", "tag", "pub", "sig", "msg"};
    enum { INPUTS = 7, MSG = 6 };
    struct bytes value[INPUTS];
    const char *pad = getenv("CS_PAD");
    size_t offset[INPUTS], at = pad != NULL ? strlen(pad) % 4096 / 64 * 64 : 0;
    uint8_t *block = NULL;

    for (int i = 0; i < INPUTS; i++) {
        const char *text = given(argc, argv, name[i]);
        offset[i] = at;
        value[i].len = text != NULL ? strlen(text) / 2 : 0;
        at += (value[i].len + 1 + 63) / 64 * 64;
    }
    at += 64;
    at += (1088 + 4096 - (at - offset[MSG]) % 4096) % 4096;
    size_t out_cap = value[MSG].len + 4096;
    size_t total = (at + out_cap + 64 + 4095) / 4096 * 4096;
    if (posix_memalign((void **)&block, 4096, total) != 0)
        die("no memory");
    memset(block, 0, total);
    for (int i = 0; i < INPUTS; i++) {
        const char *text = given(argc, argv, name[i]);
        value[i].data = block + offset[i];
        for (size_t k = 0; k < value[i].len; k++) {
            char digits[3] = {text[2 * k], text[2 * k + 1], '\0'};
            value[i].data[k] = (uint8_t)strtoul(digits, NULL, 16);
        }
    }
    return (struct inputs){value[0], value[1], value[2], value[3], value[4], value[5], value[6], block + at};
}

static void print_output(const uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        printf("%02x", out[i]);
    printf("\n");
    fflush(stdout);
}

static int next_batch(uint64_t *calls, uint64_t *lead)
{
    unsigned long long c, l;
    if (scanf("%llu %llu", &c, &l) != 2)
        return 0;
    *calls = c;
    *lead = l;
    return 1;
}

static void print_ns(const struct timespec *from, const struct timespec *to)
{
    int64_t seconds = (int64_t)to->tv_sec - (int64_t)from->tv_sec;
    printf("%lld\n", (long long)(seconds * 1000000000 + ((int64_t)to->tv_nsec - (int64_t)from->tv_nsec)));
    fflush(stdout);
}

/* The loop as anyone would write it: the call stands in its body. `call` is true if the call went well. */
#define SERVE(call, out, out_len)                                                                                      \
    do {                                                                                                               \
        uint64_t calls, lead;                                                                                          \
        struct timespec from, to;                                                                                      \
        if (!(call))                                                                                                   \
            die("the call fails");                                                                                     \
        print_output(out, out_len);                                                                                    \
        while (next_batch(&calls, &lead)) {                                                                            \
            int good = 1;                                                                                              \
            for (uint64_t i = 0; i < lead; i++)                                                                        \
                good &= (call);                                                                                        \
            clock_gettime(CLOCK_MONOTONIC, &from);                                                                     \
            for (uint64_t i = 0; i < calls; i++)                                                                       \
                good &= (call);                                                                                        \
            clock_gettime(CLOCK_MONOTONIC, &to);                                                                       \
            if (!good)                                                                                                 \
                die("a call failed");                                                                                  \
            print_ns(&from, &to);                                                                                      \
        }                                                                                                              \
    } while (0)

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: memory for its contexts, its numbers, its words for an error, and its random bits.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "adapter.h"

/* ---- contexts ---- */

void *new_context(struct contexts *all, int size)
{
    void *context = all->used < MOST_CONTEXTS && size > 0 ? cs_alloc((size_t)size) : NULL;

    if (context != NULL)
        all->context[all->used++] = context;
    return context;
}

void teardown(cs_case *c)
{
    struct contexts *all = c->state;

    for (size_t i = 0; i < all->used; i++)
        cs_free(all->context[i]);
    cs_free(c->state);
    c->state = NULL;
}

int give_up(cs_case *c, int status)
{
    teardown(c);
    return status;
}

int failed(const char *entry_point, IppStatus status)
{
    char text[256];

    (void)snprintf(text, sizeof text, "%s: %s", entry_point, ippcpGetStatusString(status));
    return cs_fail(text);
}

/* ---- numbers ---- */

IppsBigNumState *new_number(struct contexts *all, size_t bytes)
{
    const int words = (int)((bytes + sizeof(Ipp32u) - 1) / sizeof(Ipp32u));
    IppsBigNumState *number;
    int size;

    if (ippsBigNumGetSize(words, &size) != ippStsNoErr)
        return NULL;
    number = new_context(all, size);
    return number != NULL && ippsBigNumInit(words, number) == ippStsNoErr ? number : NULL;
}

static int set_zero(IppsBigNumState *number)
{
    const Ipp32u zero = 0;

    return from_ipp("ippsSet_BN", ippsSet_BN(ippBigNumPOS, 1, &zero, number));
}

int set_number(IppsBigNumState *number, cs_span bytes)
{
    if (bytes.len == 0)
        return set_zero(number);
    return from_ipp("ippsSetOctString_BN", ippsSetOctString_BN(bytes.data, (int)bytes.len, number));
}

IppsBigNumState *number_of(struct contexts *all, cs_span bytes)
{
    IppsBigNumState *number = new_number(all, bytes.len == 0 ? 1 : bytes.len);

    return number != NULL && set_number(number, bytes) == CS_OK ? number : NULL;
}

int take(cs_case *c, IppsBigNumState *number, size_t len)
{
    uint8_t *room = cs_number_room(c, len, len);
    IppStatus status;

    if (room == NULL)
        return CS_ERROR;
    status = ippsGetOctString_BN(room, (int)len, number);
    return status >= ippStsNoErr ? set_zero(number) : failed("ippsGetOctString_BN", status);
}

/* ---- randomness ---- */

IppBitSupplier random_bits;
void *random_context;

static IppBitSupplier own_bits;

static IppStatus IPP_CALL counted(Ipp32u *bits, int n, void *context)
{
    cs_random_drawn((size_t)(n + 7) / 8);
    return own_bits(bits, n, context);
}

/* The longest seed that the generator takes. */
enum { SEED_BITS = 512 };

static const char *seed_generator(void)
{
    static struct contexts kept; /* for as long as the process lives */
    uint8_t bytes[SEED_BITS / 8];
    IppsBigNumState *number;
    IppsPRNGState *state;
    int size;
    const int device = open("/dev/urandom", O_RDONLY);
    const ssize_t got = device < 0 ? 0 : read(device, bytes, sizeof bytes);

    if (device >= 0)
        (void)close(device);
    if (got != (ssize_t)sizeof bytes)
        return "the system has no random bytes for ippsPRNGSetSeed";
    number = number_of(&kept, (cs_span){.data = bytes, .len = sizeof bytes});
    if (number == NULL || ippsPRNGGetSize(&size) != ippStsNoErr)
        return "ippsPRNGGetSize";
    state = new_context(&kept, size);
    if (state == NULL || ippsPRNGInit(SEED_BITS, state) != ippStsNoErr || ippsPRNGSetSeed(number, state) != ippStsNoErr)
        return "ippsPRNGSetSeed";
    random_context = state;
    return NULL;
}

const char *seed(void)
{
    Ipp32u word;
    const char *problem = NULL;

    own_bits = ippsPRNGenRDRAND;
    if (ippsPRNGenRDRAND(&word, 32, NULL) != ippStsNoErr) {
        own_bits = ippsPRNGen;
        problem = seed_generator();
    }
    random_bits = cs_counts_random() ? counted : own_bits;
    return problem;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography adapter: random bytes.
 *
 * Entry points: ippsPRNGenRDRAND, and ippsPRNGen where the processor has no RDRAND.
 */
#include "adapter.h"

#include <string.h>

/* The library writes whole words: those that are not whole go through one of the adapter's. */
static int fetch_call(cs_case *c)
{
    const size_t part = c->out_len % sizeof(Ipp32u), whole = c->out_len - part;
    IppStatus status =
        whole == 0 ? ippStsNoErr : random_bits((Ipp32u *)(void *)c->out, (int)(8 * whole), random_context);
    Ipp32u last;

    if (part != 0 && status >= ippStsNoErr) {
        status = random_bits(&last, 32, random_context);
        memcpy(c->out + whole, &last, part);
    }
    return from_ipp("ippsPRNGenRDRAND", status);
}

/* ---- rows ---- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "ippsPRNGenRDRAND", .setup = cs_setup_msg_length, .call = fetch_call, .seed = seed, .counts_random = 1},
};
/* clang-format on */

const cs_table ipp_random = CS_TABLE(rows);

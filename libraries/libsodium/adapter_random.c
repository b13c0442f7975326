/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium adapter: random bytes.
 *
 * Entry points: randombytes_buf, randombytes_set_implementation.
 */
#include "adapter.h"

#include <sodium.h>
#include <sys/random.h>

static int fetch_call(cs_case *c)
{
    randombytes_buf(c->out, c->out_len);
    return CS_OK;
}

/* ---- machines without an operating system ---- */

#if defined(__arm__) && !defined(__linux__)
/* Without an operating system libsodium has no source of its own; its documentation asks for one before sodium_init. */
static const char *board_name(void)
{
    return "board";
}
static void board_bytes(void *const out, const size_t len)
{
    uint8_t *to = out;

    for (size_t done = 0; done < len; done += 64)
        if (getentropy(to + done, len - done < 64 ? len - done : 64) != 0)
            sodium_misuse(); /* ends the program */
}
static uint32_t board_word(void)
{
    uint32_t word;

    board_bytes(&word, sizeof word);
    return word;
}

void random_on_a_board(void)
{
    static randombytes_implementation board = {
        .implementation_name = board_name, .random = board_word, .buf = board_bytes};

    (void)randombytes_set_implementation(&board);
}
#else
void random_on_a_board(void)
{
}
#endif

/* clang-format off */
static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "randombytes_buf", .setup = cs_setup_msg_length, .call = fetch_call, .counts_random = 1},
};
const cs_table libsodium_random = CS_TABLE(rows);
/* clang-format on */

/* SPDX-License-Identifier: Apache-2.0
 *
 * sodium_init, which the manual has every program call first: it looks for what the processor has, and asks for random
 * bytes. A board gives them from its program.
 */
#ifndef FOOTPRINT_BEGIN_H
#define FOOTPRINT_BEGIN_H

#include "../program.h"

#include <sodium.h>

#ifdef FOOTPRINT_BOARD
#include "../entropy.h"

static void board_bytes(void *const to, const size_t len)
{
    if (system_bytes(to, len) != 0)
        sodium_misuse(); /* ends the program */
}

static uint32_t board_word(void)
{
    uint32_t word;

    board_bytes(&word, sizeof word);
    return word;
}

static const char *board_name(void)
{
    return "board";
}
#endif

/* 1 if it can be used; input is read. */
static inline int begun(void)
{
#ifdef FOOTPRINT_BOARD
    static randombytes_implementation board = {
        .implementation_name = board_name, .random = board_word, .buf = board_bytes};

    if (randombytes_set_implementation(&board) != 0)
        return 0;
#endif
    return sodium_init() >= 0 && read_input();
}

#endif

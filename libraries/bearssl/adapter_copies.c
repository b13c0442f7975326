/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: what works in place, after one copy of the message more than is needed. Beside `default`, which does
 * the same with one copy, these lanes tell what a program saves that may overwrite its input.
 */
#include "adapter.h"

#define COPIED(CALL)                                                                                                   \
    int CALL##_copied(cs_case *c)                                                                                      \
    {                                                                                                                  \
        cs_copy_again(c);                                                                                              \
        return CALL(c);                                                                                                \
    }

COPIED(bear_cbcenc)
COPIED(bear_cbcdec)
COPIED(bear_ctr)
COPIED(bear_chacha20)
COPIED(bear_gcm_seal)
COPIED(bear_gcm_open)
COPIED(bear_chapol_seal)
COPIED(bear_chapol_open)

/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: the rows of CCM and EAX, for the table in adapter.c. Both stand on implementations of AES that
 * combine CTR and CBC-MAC (br_block_ctrcbc_class); each is a lane.
 */
#ifndef CIPHERSTONE_BEARSSL_MODES_H
#define CIPHERSTONE_BEARSSL_MODES_H

#include "adapter.h"

struct bear_ctrcbc_lane {
    const br_block_ctrcbc_class *ctrcbc;
    const br_block_ctrcbc_class *(*get)(void);
    const char *missing;
};
extern const struct bear_ctrcbc_lane bear_ctrcbc_default, bear_ctrcbc_big, bear_ctrcbc_small, bear_ctrcbc_ct,
    bear_ctrcbc_ct64, bear_ctrcbc_x86ni, bear_ctrcbc_pwr8;

/* `param` is a lane. */
const char *bear_ctrcbc_unavailable(const cs_op *op);
int bear_ccm_setup(cs_case *c);
int bear_ccm_rekey(cs_case *c);
int bear_ccm_seal(cs_case *c);
int bear_ccm_open(cs_case *c);
int bear_eax_setup(cs_case *c);
int bear_eax_rekey(cs_case *c);
int bear_eax_seal(cs_case *c);
int bear_eax_open(cs_case *c);

#define MODE_ROW(BITS, MODE, VERB, IMPL, NAME, LANE)                                                                   \
    {.id = "aes-" #BITS "-" #MODE "/" #VERB,                                                                           \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_##MODE##_setup,                                                                                     \
     .call = bear_##MODE##_##VERB,                                                                                     \
     .rekey = bear_##MODE##_rekey,                                                                                     \
     .teardown = bear_free,                                                                                            \
     .param = &bear_ctrcbc_##LANE,                                                                                     \
     .unavailable = bear_ctrcbc_unavailable}
#define MODE_PAIR(BITS, MODE, IMPL, NAME, LANE)                                                                        \
    MODE_ROW(BITS, MODE, seal, IMPL, NAME, LANE), MODE_ROW(BITS, MODE, open, IMPL, NAME, LANE)
#define MODE_LANE(BITS, MODE, LANE) MODE_PAIR(BITS, MODE, "aes_" #LANE, "br_" #MODE ", br_aes_" #LANE "_ctrcbc", LANE)
#define MODE_LANES(BITS, MODE)                                                                                         \
    MODE_PAIR(BITS, MODE, "default", "br_" #MODE ", br_aes_*_ctrcbc", default), MODE_LANE(BITS, MODE, big),            \
        MODE_LANE(BITS, MODE, small), MODE_LANE(BITS, MODE, ct), MODE_LANE(BITS, MODE, ct64),                          \
        MODE_LANE(BITS, MODE, x86ni), MODE_LANE(BITS, MODE, pwr8)
#define MODE_ROWS MODE_LANES(128, ccm), MODE_LANES(256, ccm), MODE_LANES(128, eax), MODE_LANES(256, eax)

#endif

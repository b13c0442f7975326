/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: the rows of RSA with paddings, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_BEARSSL_PADDING_H
#define CIPHERSTONE_BEARSSL_PADDING_H

#include "adapter_keys.h"

/* The functions of an implementation, or those that give them. */
struct bear_padding_lane {
    br_rsa_pkcs1_sign sign;
    br_rsa_pkcs1_vrfy vrfy;
    br_rsa_oaep_encrypt encrypt;
    br_rsa_oaep_decrypt decrypt;
    br_rsa_pkcs1_sign (*get_sign)(void);
    br_rsa_pkcs1_vrfy (*get_vrfy)(void);
    br_rsa_oaep_encrypt (*get_encrypt)(void);
    br_rsa_oaep_decrypt (*get_decrypt)(void);
    const char *missing;
};
extern const struct bear_padding_lane bear_padding_default, bear_padding_i15, bear_padding_i31, bear_padding_i32,
    bear_padding_i62;

const char *bear_padding_unavailable(const cs_op *op);
int bear_padding_setup(cs_case *c);
int bear_pkcs1_sign(cs_case *c);
int bear_pkcs1_verify(cs_case *c);
int bear_oaep_encrypt(cs_case *c);
int bear_oaep_decrypt(cs_case *c);

#define PADDING_ROW(ID, IMPL, NAME, CALL, LANE, ...)                                                                   \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_padding_setup,                                                                                      \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &bear_padding_##LANE,                                                                                    \
     .unavailable = bear_padding_unavailable,                                                                          \
     __VA_ARGS__}
#define PADDING_LANE(BITS, IMPL, PREFIX, LANE)                                                                         \
    PADDING_ROW("rsa-" BITS "-pkcs1-sha256/sign", IMPL, PREFIX "_pkcs1_sign", bear_pkcs1_sign, LANE, .seeded = 0),     \
        PADDING_ROW("rsa-" BITS "-pkcs1-sha256/verify", IMPL, PREFIX "_pkcs1_vrfy", bear_pkcs1_verify, LANE,           \
                    .seeded = 0),                                                                                      \
        PADDING_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", IMPL, PREFIX "_oaep_encrypt", bear_oaep_encrypt, LANE,  \
                    .seed = bear_seed, .counts_random = 1),                                                            \
        PADDING_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", IMPL, PREFIX "_oaep_decrypt", bear_oaep_decrypt, LANE, \
                    .seeded = 0)
#define PADDINGS_OF(BITS)                                                                                              \
    PADDING_LANE(BITS, "default", "br_rsa", default), PADDING_LANE(BITS, "i15", "br_rsa_i15", i15),                    \
        PADDING_LANE(BITS, "i31", "br_rsa_i31", i31), PADDING_LANE(BITS, "i32", "br_rsa_i32", i32),                    \
        PADDING_LANE(BITS, "i62", "br_rsa_i62", i62)
/* A private operation of 4096 bits by small words takes a tenth of a second: larger moduli by the others alone. */
#define PADDINGS_ABOVE(BITS)                                                                                           \
    PADDING_LANE(BITS, "default", "br_rsa", default), PADDING_LANE(BITS, "i31", "br_rsa_i31", i31),                    \
        PADDING_LANE(BITS, "i62", "br_rsa_i62", i62)
#define PADDINGS PADDINGS_OF("2048"), PADDINGS_ABOVE("3072"), PADDINGS_ABOVE("4096")

#endif

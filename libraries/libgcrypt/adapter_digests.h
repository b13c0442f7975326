/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: rows of hashes and HMACs on the functions of adapter.c, for its table.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_DIGESTS_H
#define CIPHERSTONE_LIBGCRYPT_DIGESTS_H

#define HASH(ALGORITHM, DIGEST)                                                                                        \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "GCRY_MD_" #DIGEST,                                                                                       \
     .setup = hash_setup,                                                                                              \
     .call = hash_call,                                                                                                \
     .teardown = hash_teardown,                                                                                        \
     .param = &(const struct algorithm){.algo = GCRY_MD_##DIGEST},                                                     \
     .unavailable = hash_unavailable},                                                                                 \
        ONESHOT(ALGORITHM, ((const struct algorithm){.algo = GCRY_MD_##DIGEST}))
#define HMAC(ALGORITHM, DIGEST)                                                                                        \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = "GCRY_MAC_HMAC_" #DIGEST,                                                                                 \
     .setup = mac_setup,                                                                                               \
     .call = mac_call,                                                                                                 \
     .rekey = mac_rekey,                                                                                               \
     .teardown = mac_teardown,                                                                                         \
     .param = &(const struct algorithm){.algo = GCRY_MAC_HMAC_##DIGEST},                                               \
     .unavailable = mac_unavailable}

#define OTHER_HASHES HASH("sm3", SM3), HASH("ripemd-160", RMD160)
#define OTHER_HMACS HMAC("hmac-sha-1", SHA1), HMAC("hmac-sha-384", SHA384), HMAC("hmac-sha-512", SHA512)

#endif

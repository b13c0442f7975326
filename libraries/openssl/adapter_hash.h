/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of hashes, for the table in adapter.c, that adapter_hash.c serves.
 */
#ifndef CIPHERSTONE_OPENSSL_HASH_H
#define CIPHERSTONE_OPENSSL_HASH_H

#include "session.h"

/* One call, without EVP. */
int sha224_call(cs_case *c);
int sha384_call(cs_case *c);

/* Functions of extendable output: the digest is as long as the catalogue says. */
int shake_setup(cs_case *c);
int shake_call(cs_case *c);

#define KEPT_HASH(ALGORITHM, DIGEST, SETUP, CALL)                                                                      \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "EVP_MD " DIGEST,                                                                                         \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .teardown = session_free,                                                                                         \
     .param = DIGEST,                                                                                                  \
     .unavailable = hash_unavailable,                                                                                  \
     .open = evp_open,                                                                                                 \
     .fetch = hash_fetch}
#define BOTH_HASHES(ALGORITHM, DIGEST)                                                                                 \
    KEPT_HASH(ALGORITHM, DIGEST, hash_setup, hash_call), ONESHOT_HASH(ALGORITHM, DIGEST)

#define DIGEST_ROWS                                                                                                    \
    BOTH_HASHES("sha-224", "SHA224"), SHA_FUNCTION("sha-224", SHA224, sha224_call), BOTH_HASHES("sha-384", "SHA384"),  \
        SHA_FUNCTION("sha-384", SHA384, sha384_call), BOTH_HASHES("sha-512-256", "SHA512-256"),                        \
        BOTH_HASHES("sha3-384", "SHA3-384"), BOTH_HASHES("sha3-512", "SHA3-512"),                                      \
        BOTH_HASHES("blake2s-256", "BLAKE2S-256"), KEPT_HASH("shake128", "SHAKE-128", shake_setup, shake_call),        \
        KEPT_HASH("shake256", "SHAKE-256", shake_setup, shake_call), BOTH_HASHES("sm3", "SM3"),                        \
        BOTH_HASHES("ripemd-160", "RIPEMD160")

#endif

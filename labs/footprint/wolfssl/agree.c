/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519, blinded where the build asks for it.
 */
#include "../program.h"

#include <wolfssl/options.h>
#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/random.h>

#include "random.h"

int main(void)
{
    static curve25519_key own, peer;
    uint8_t out[CURVE25519_KEYSIZE];
    word32 len = sizeof out;
    span key, pub;
#ifdef WOLFSSL_CURVE25519_BLINDING
    static WC_RNG rng;
#endif

    if (!read_input())
        return BROKEN;
    key = field(), pub = rest();
    if (wc_curve25519_init(&own) != 0 || wc_curve25519_init(&peer) != 0 ||
        wc_curve25519_import_private_ex(key.data, (word32)key.len, &own, EC25519_LITTLE_ENDIAN) != 0)
        return BROKEN;
#ifdef WOLFSSL_CURVE25519_BLINDING
    if (wc_InitRng(&rng) != 0 || wc_curve25519_set_rng(&own, &rng) != 0)
        return BROKEN;
#endif
    if (wc_curve25519_import_public_ex(pub.data, (word32)pub.len, &peer, EC25519_LITTLE_ENDIAN) != 0 ||
        wc_curve25519_shared_secret_ex(&own, &peer, out, &len, EC25519_LITTLE_ENDIAN) != 0)
        return NO;
    return write_output(out, len);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Hand-written loops of long calls of BearSSL's, with keys of their own.
 */
#include "long.h"

#include <bearssl.h>

static const unsigned char message[32] = "thirty-two bytes to sign, always";
static unsigned char hash[32], out[256];

static int digest(void)
{
    br_sha256_context ctx;
    br_sha256_init(&ctx);
    br_sha256_update(&ctx, message, sizeof message);
    br_sha256_out(&ctx, hash);
    return 1;
}

static int multiply(const br_ec_impl *ec, const br_ec_public_key *point, const br_ec_private_key *by)
{
    memcpy(out, point->q, point->qlen);
    return ec->mul(out, point->qlen, by->x, by->xlen, BR_EC_secp256r1) == 1;
}

int main(int argc, char **argv)
{
    size_t repeats = repeats_of(argc, argv), len[KEYS];
    const br_ec_impl *ec = br_ec_get_default();
    br_ecdsa_sign sign = br_ecdsa_sign_raw_get_default();
    br_ecdsa_vrfy verify = br_ecdsa_vrfy_raw_get_default();
    static unsigned char secret[KEYS][BR_EC_KBUF_PRIV_MAX_SIZE], point[KEYS][BR_EC_KBUF_PUB_MAX_SIZE], sig[KEYS][80];
    br_ec_private_key key[KEYS];
    br_ec_public_key pub[KEYS];
    br_hmac_drbg_context rng;
    double seed = now_ns();

    br_hmac_drbg_init(&rng, &br_sha256_vtable, &seed, sizeof seed);
    for (int k = 0; k < KEYS; k++) {
        if (br_ec_keygen(&rng.vtable, ec, &key[k], secret[k], BR_EC_secp256r1) == 0 ||
            br_ec_compute_pub(ec, &pub[k], point[k], &key[k]) == 0 || !digest())
            die("br_ec_keygen");
        len[k] = sign(ec, &br_sha256_vtable, hash, &key[k], sig[k]);
    }
    if (is(argv, "ecdsa-p256-sha256/sign")) {
        LOOP(repeats, digest() && sign(ec, &br_sha256_vtable, hash, &key[0], out) == 64);
    } else if (is(argv, "ecdsa-p256-sha256/verify")) {
        LOOP(repeats, digest() && verify(ec, hash, 32, &pub[i % KEYS], sig[i % KEYS], len[i % KEYS]) == 1);
    } else {
        LOOP(repeats, multiply(ec, &pub[1], &key[0]));
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Hand-written loops of long calls of Libgcrypt's, with keys of their own.
 */
#include "long.h"

#include <gcrypt.h>

static const unsigned char message[32] = "thirty-two bytes to sign, always";

static gcry_sexp_t built(const char *form, const void *data, size_t len)
{
    gcry_sexp_t made = NULL;
    if (gcry_sexp_build(&made, NULL, form, (int)len, data) != 0)
        die("gcry_sexp_build");
    return made;
}

static gcry_sexp_t digest(gcry_md_hd_t md)
{
    gcry_md_reset(md);
    gcry_md_write(md, message, sizeof message);
    return built("(data(flags raw)(hash sha256 %b))", gcry_md_read(md, 0), 32);
}

static gcry_sexp_t sign(gcry_md_hd_t md, gcry_sexp_t key)
{
    gcry_sexp_t data = digest(md), sig = NULL;
    if (gcry_pk_sign(&sig, data, key) != 0)
        die("gcry_pk_sign");
    gcry_sexp_release(data);
    return sig;
}

static int verify(gcry_md_hd_t md, gcry_sexp_t sig, gcry_sexp_t key)
{
    gcry_sexp_t data = digest(md);
    int right = gcry_pk_verify(sig, data, key) == 0;
    gcry_sexp_release(data);
    return right;
}

static int agree(gcry_sexp_t point, gcry_sexp_t key)
{
    gcry_sexp_t secret = NULL;
    int right = gcry_pk_decrypt(&secret, point, key) == 0;
    gcry_sexp_release(secret);
    return right;
}

int main(int argc, char **argv)
{
    size_t repeats = repeats_of(argc, argv);
    gcry_sexp_t key[KEYS], pub[KEYS], sig[KEYS];
    gcry_md_hd_t md;

    if (gcry_check_version(NULL) == NULL || gcry_md_open(&md, GCRY_MD_SHA256, 0) != 0)
        die("gcry_md_open");
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    for (int k = 0; k < KEYS; k++) {
        gcry_sexp_t pair = NULL, form = built("(genkey(ecc(curve \"NIST P-256\")))", "", 0);
        if (gcry_pk_genkey(&pair, form) != 0)
            die("gcry_pk_genkey");
        key[k] = gcry_sexp_find_token(pair, "private-key", 0);
        pub[k] = gcry_sexp_find_token(pair, "public-key", 0);
        sig[k] = sign(md, key[k]);
    }
    if (is(argv, "ecdsa-p256-sha256/sign")) {
        LOOP(repeats, (gcry_sexp_release(sign(md, key[0])), 1));
    } else if (is(argv, "ecdsa-p256-sha256/verify")) {
        LOOP(repeats, verify(md, sig[i % KEYS], pub[i % KEYS]));
    } else {
        size_t len = 0;
        gcry_sexp_t q = gcry_sexp_find_token(pub[1], "q", 0);
        const char *point = gcry_sexp_nth_data(q, 1, &len);
        gcry_sexp_t peer = built("(enc-val(ecdh(e %b)))", point, len);
        LOOP(repeats, agree(peer, key[0]));
    }
    return 0;
}

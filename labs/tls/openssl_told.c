/* SPDX-License-Identifier: Apache-2.0
 *
 * What OpenSSL's interface, and what BoringSSL's, says that a side agreed on.
 */
#include "openssl_shared.h"

#include <string.h>

#ifdef BORING

void own_told(tls_case *s, int side, tls_agreed *agreed)
{
    const SSL *ssl = ((both *)s->library)->ssl[side];

    agreed->early = own_took_early(ssl);
    agreed->version = SSL_version(ssl);
    agreed->suite = SSL_CIPHER_get_protocol_id(SSL_get_current_cipher(ssl));
    agreed->resumed = SSL_session_reused(ssl);
    if (!agreed->resumed || agreed->version == TLS_1_3)
        agreed->group = SSL_get_group_id(ssl);
    if (agreed->resumed || s->wish.external)
        return;
    if (side == TLS_CLIENT)
        agreed->signature = SSL_get_peer_signature_algorithm(ssl);
    else
        agreed->client_signature = SSL_get_peer_signature_algorithm(ssl);
}

#else

enum { NO_NID = 0x1000000 }; /* set where a group has a number of TLS alone */

static int group_of(int nid)
{
    if (nid & NO_NID)
        return nid & 0xffff;
    return nid == NID_X25519             ? TLS_X25519
           : nid == NID_X9_62_prime256v1 ? TLS_P256
           : nid == NID_secp384r1        ? TLS_P384
                                         : 0;
}

static int signature_of(int type, int digest)
{
    if (type == EVP_PKEY_ED25519)
        return TLS_ED25519;
    if (type == EVP_PKEY_EC && digest == NID_sha384)
        return TLS_ECDSA_P384;
    if (digest != NID_sha256)
        return 0;
    return type == EVP_PKEY_EC        ? TLS_ECDSA_P256
           : type == EVP_PKEY_RSA     ? TLS_RSA_PKCS1
           : type == EVP_PKEY_RSA_PSS ? TLS_RSA_PSS
                                      : 0;
}

#if OPENSSL_VERSION_NUMBER >= 0x30500000L
/* A signature without a digest of its own has a name alone. */
static void by_name(const SSL *ssl, int side, tls_agreed *agreed)
{
    const char *name;

    if (SSL_get0_peer_signature_name(ssl, &name) == 1 && name != NULL)
        *(side == TLS_CLIENT ? &agreed->signature : &agreed->client_signature) =
            strcmp(name, "mldsa65") == 0 ? TLS_MLDSA65 : 0;
    if (SSL_get0_signature_name(ssl, &name) == 1 && name != NULL)
        *(side == TLS_CLIENT ? &agreed->client_signature : &agreed->signature) =
            strcmp(name, "mldsa65") == 0 ? TLS_MLDSA65 : 0;
}
#endif

void own_told(tls_case *s, int side, tls_agreed *agreed)
{
    SSL *ssl = ((both *)s->library)->ssl[side];
    int type = 0, digest = 0;

    agreed->early = own_took_early(ssl);
    agreed->version = SSL_version(ssl);
    agreed->suite = SSL_CIPHER_get_protocol_id(SSL_get_current_cipher(ssl));
    agreed->resumed = SSL_session_reused(ssl);
    if (!agreed->resumed || agreed->version == TLS_1_3)
        agreed->group = group_of((int)SSL_get_negotiated_group(ssl));
    if (agreed->resumed || s->wish.external)
        return;
#if OPENSSL_VERSION_NUMBER >= 0x30500000L
    if (s->wish.cert == TLS_CERT_MLDSA65) {
        by_name(ssl, side, agreed);
        return;
    }
#endif
    if (SSL_get_peer_signature_type_nid(ssl, &type) == 1 && SSL_get_peer_signature_nid(ssl, &digest) == 1)
        *(side == TLS_CLIENT ? &agreed->signature : &agreed->client_signature) = signature_of(type, digest);
    if (SSL_get_signature_type_nid(ssl, &type) == 1 && SSL_get_signature_nid(ssl, &digest) == 1)
        *(side == TLS_CLIENT ? &agreed->client_signature : &agreed->signature) = signature_of(type, digest);
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodings that several adapters need.
 */
#include "sdk.h"

#include "../include/cipherstone_encoding.h"

#include <stdio.h>
#include <string.h>

int cs_expect_length(const char *name, cs_span input, size_t len)
{
    char text[96];

    if (input.len == len)
        return CS_OK;
    (void)snprintf(text, sizeof text, "%s is %zu bytes long, not %zu", name, input.len, len);
    return cs_fail(text);
}

void cs_copy_message(cs_case *c)
{
    if (c->out != c->msg.data)
        memcpy(c->out, c->msg.data, c->msg.len);
}

void cs_copy_again(cs_case *c)
{
    memcpy(c->out, c->msg.data, c->msg.len);
#if defined(__GNUC__)
    __asm__ volatile("" ::"r"(c->out) : "memory"); /* the copy that follows does not make this one superfluous */
#endif
}

int cs_draw(cs_stream *stream, void *out, size_t len)
{
    if (stream->left.len < len)
        return cs_fail("the seed has too few bytes");
    memcpy(out, stream->left.data, len);
    stream->left.data += len;
    stream->left.len -= len;
    return CS_OK;
}

int cs_crt_split(cs_span key, cs_span part[CS_CRT_PARTS])
{
    size_t len = key.len / CS_CRT_PARTS;

    if (len == 0 || key.len % CS_CRT_PARTS != 0)
        return cs_fail("key is not five numbers of one length");
    for (size_t i = 0; i < CS_CRT_PARTS; i++) {
        part[i].data = key.data + i * len;
        part[i].len = len;
    }
    return CS_OK;
}

/* The next `len` bytes of `from`. */
static cs_span cut(cs_span *from, size_t len)
{
    cs_span one = {.data = from->data, .len = len};

    from->data += len;
    from->len -= len;
    return one;
}

int cs_rsa_numbers(const cs_case *c, cs_rsa_key *to)
{
    int is_private = c->key.data != NULL;
    cs_span rest = is_private ? c->key : c->pub;
    /* n and d of 2 halves each, and five parts of one; or n alone */
    size_t half = rest.len < CS_RSA_EXPONENT ? 0 : (rest.len - CS_RSA_EXPONENT) / (is_private ? 9 : 2);

    if (half == 0 || rest.len != CS_RSA_EXPONENT + half * (is_private ? 9 : 2))
        return cs_fail("the key is not as long as the numbers of an RSA key");
    memset(to, 0, sizeof *to);
    to->n = cut(&rest, 2 * half);
    to->e = cut(&rest, CS_RSA_EXPONENT);
    while (to->e.len > 1 && to->e.data[0] == 0)
        (void)cut(&to->e, 1);
    if (!is_private)
        return CS_OK;
    to->d = cut(&rest, 2 * half);
    for (int i = 0; i < CS_CRT_PARTS; i++)
        to->part[i] = cut(&rest, half);
    return CS_OK;
}

int cs_split_operands(const cs_case *c, cs_span *a, cs_span *b)
{
    size_t len = c->pub.len;

    if (c->msg.len != 2 * len)
        return cs_fail("msg is not twice as long as pub");
    *a = (cs_span){.data = c->msg.data, .len = len};
    *b = (cs_span){.data = c->msg.data + len, .len = len};
    return CS_OK;
}

int cs_put_number(uint8_t *out, size_t len, cs_span number)
{
    while (number.len > 0 && number.data[0] == 0) {
        number.data++;
        number.len--;
    }
    if (number.len > len)
        return cs_fail("a number is longer than its field");
    memset(out, 0, len - number.len);
    if (number.len > 0)
        memcpy(out + len - number.len, number.data, number.len);
    return CS_OK;
}

uint8_t *cs_number_room(cs_case *c, size_t bytes, size_t len)
{
    uint8_t *field = c->out + c->out_len;

    if (bytes > len) {
        (void)cs_fail("the result is not below the modulus");
        return NULL;
    }
    memset(field, 0, len - bytes);
    c->out_len += len;
    return field + len - bytes;
}

int cs_p256_point(cs_span pub)
{
    return pub.len == CS_P256_POINT && pub.data[0] == 4 ? CS_OK
                                                        : cs_fail("pub is not an uncompressed point of 65 bytes");
}

/* `head` is all of the encoding but the point itself: two sequences, two object identifiers, the bit string's head. */
static int wrap(cs_span pub, uint8_t *out, const uint8_t *head, size_t len)
{
    memcpy(out, head, len);
    memcpy(out + len, pub.data, pub.len);
    return CS_OK;
}

static int spki(cs_span pub, uint8_t *out, const uint8_t *head, size_t len)
{
    return cs_p256_point(pub) == CS_OK ? wrap(pub, out, head, len) : CS_ERROR;
}

int cs_p256_spki(cs_span pub, uint8_t out[CS_P256_SPKI])
{
    static const uint8_t head[CS_P256_SPKI - CS_P256_POINT] = {0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48,
                                                               0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
                                                               0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00};

    return spki(pub, out, head, sizeof head);
}

int cs_secp256k1_spki(cs_span pub, uint8_t out[CS_SECP256K1_SPKI])
{
    static const uint8_t head[CS_SECP256K1_SPKI - CS_P256_POINT] = {0x30, 0x56, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86,
                                                                    0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x05, 0x2b,
                                                                    0x81, 0x04, 0x00, 0x0a, 0x03, 0x42, 0x00};

    return spki(pub, out, head, sizeof head);
}

int cs_brainpool_p256_spki(cs_span pub, uint8_t out[CS_BRAINPOOL_P256_SPKI])
{
    static const uint8_t head[CS_BRAINPOOL_P256_SPKI - CS_P256_POINT] = {
        0x30, 0x5a, 0x30, 0x14, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
        0x09, 0x2b, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x07, 0x03, 0x42, 0x00};

    return spki(pub, out, head, sizeof head);
}

int cs_point(cs_span pub, size_t bytes)
{
    return pub.len == 2 * bytes + 1 && pub.data[0] == 4 ? CS_OK : cs_fail("pub is not an uncompressed point");
}

int cs_p384_spki(cs_span pub, uint8_t out[CS_P384_SPKI])
{
    static const uint8_t head[CS_P384_SPKI - CS_P384_POINT] = {0x30, 0x76, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86,
                                                               0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x05, 0x2b,
                                                               0x81, 0x04, 0x00, 0x22, 0x03, 0x62, 0x00};

    return cs_point(pub, CS_P384_BYTES) == CS_OK ? wrap(pub, out, head, sizeof head) : CS_ERROR;
}

int cs_p521_spki(cs_span pub, uint8_t out[CS_P521_SPKI])
{
    static const uint8_t head[CS_P521_SPKI - CS_P521_POINT] = {0x30, 0x81, 0x9b, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86,
                                                               0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x05, 0x2b, 0x81,
                                                               0x04, 0x00, 0x23, 0x03, 0x81, 0x86, 0x00};

    return cs_point(pub, CS_P521_BYTES) == CS_OK ? wrap(pub, out, head, sizeof head) : CS_ERROR;
}

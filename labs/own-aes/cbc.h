/* SPDX-License-Identifier: Apache-2.0
 *
 * What both instruction sets share: key expansion word by word, and CBC over blocks. The includer defines
 *
 *   OWN_AES                        the attribute of functions that use the instructions
 *   block                          the type of a block in a register
 *   load, store, both              of 16 bytes at any address; exclusive or
 *   mixed                          InvMixColumns
 *   sub_word                       SubWord of FIPS 197 section 5.2
 *   encrypted, decrypted           one block through all rounds
 *   decrypted_at_once              OWN_AES_AT_ONCE independent ones
 */
#include "aes.h"

#include <string.h>

/* FIPS 197 section 5.2, with words in the order of their bytes in memory: RotWord is a rotation by 8 to the right. */
OWN_AES void own_aes_encryption_key(own_aes_key *key, const uint8_t *bytes, size_t len)
{
    const unsigned words = (unsigned)len / 4;
    uint32_t w[4 * (OWN_AES_MOST_ROUNDS + 1)];
    uint32_t constant = 1;

    key->rounds = words + 6;
    memcpy(w, bytes, len);
    for (unsigned i = words; i < 4 * (key->rounds + 1); i++) {
        uint32_t last = w[i - 1];

        if (i % words == 0) {
            last = sub_word(last);
            last = (last >> 8 | last << 24) ^ constant;
            constant = constant << 1 ^ (constant >> 7) * 0x11b;
        } else if (words == 8 && i % words == 4) {
            last = sub_word(last);
        }
        w[i] = w[i - words] ^ last;
    }
    memcpy(key->round, w, sizeof(key->round[0]) * (key->rounds + 1));
}

OWN_AES void own_aes_decryption_key(own_aes_key *key, const uint8_t *bytes, size_t len)
{
    own_aes_key forward;

    own_aes_encryption_key(&forward, bytes, len);
    key->rounds = forward.rounds;
    memcpy(key->round[0], forward.round[forward.rounds], OWN_AES_BLOCK);
    for (unsigned i = 1; i < forward.rounds; i++) {
        store(key->round[i], mixed(load(forward.round[forward.rounds - i])));
    }
    memcpy(key->round[forward.rounds], forward.round[0], OWN_AES_BLOCK);
}

OWN_AES void own_aes_cbc_encrypt(const own_aes_key *key, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t len)
{
    block k[OWN_AES_MOST_ROUNDS + 1];
    block chain = load(iv);

    for (unsigned i = 0; i <= key->rounds; i++) {
        k[i] = load(key->round[i]);
    }
    for (size_t at = 0; at < len; at += OWN_AES_BLOCK) {
        chain = encrypted(both(chain, load(in + at)), k, key->rounds);
        store(out + at, chain);
    }
}

OWN_AES void own_aes_cbc_decrypt(const own_aes_key *key, const uint8_t *iv, const uint8_t *in, uint8_t *out, size_t len)
{
    block k[OWN_AES_MOST_ROUNDS + 1];
    block chain = load(iv);
    size_t at = 0;

    for (unsigned i = 0; i <= key->rounds; i++) {
        k[i] = load(key->round[i]);
    }
    for (; len - at >= (size_t)OWN_AES_AT_ONCE * OWN_AES_BLOCK; at += (size_t)OWN_AES_AT_ONCE * OWN_AES_BLOCK) {
        const uint8_t *from = in + at;
        uint8_t *to = out + at;
        block s[OWN_AES_AT_ONCE];
        const block last = load(from + (OWN_AES_AT_ONCE - 1) * OWN_AES_BLOCK);

        for (unsigned i = 0; i < OWN_AES_AT_ONCE; i++) {
            s[i] = load(from + (size_t)i * OWN_AES_BLOCK);
        }
        decrypted_at_once(s, k, key->rounds);
        /* From the end: where `out` is `in`, the block before is then still what it was. */
        for (unsigned i = OWN_AES_AT_ONCE - 1; i > 0; i--) {
            store(to + (size_t)i * OWN_AES_BLOCK, both(s[i], load(from + (size_t)(i - 1) * OWN_AES_BLOCK)));
        }
        store(to, both(s[0], chain));
        chain = last;
    }
    for (; at < len; at += OWN_AES_BLOCK) {
        const block c = load(in + at);

        store(out + at, both(decrypted(c, k, key->rounds), chain));
        chain = c;
    }
}

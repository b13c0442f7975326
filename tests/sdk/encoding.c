/* SPDX-License-Identifier: Apache-2.0
 *
 * Shows the SDK's encodings to the tests: one command a line, its inputs in hexadecimal ("-" for none); in reply the
 * bytes, or "refused: " and why.
 */
#include "sdk.h"

#include "cipherstone_encoding.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t bytes[2][4096];
static cs_span input[2];

static void show(cs_span span)
{
    for (size_t i = 0; i < span.len; i++)
        printf("%02x", span.data[i]);
}

static void refused(void)
{
    printf("refused: %s", cs_failure());
}

static void split_crt(void)
{
    cs_span part[CS_CRT_PARTS];

    if (cs_crt_split(input[0], part) != CS_OK) {
        refused();
        return;
    }
    const cs_span order[] = {part[CS_CRT_P], part[CS_CRT_Q], part[CS_CRT_DP], part[CS_CRT_DQ], part[CS_CRT_QINV]};
    for (size_t i = 0; i < CS_COUNT(order); i++) {
        printf(i > 0 ? " " : "");
        show(order[i]);
    }
}

static void split_operands(void)
{
    cs_case c = {.msg = input[0], .pub = input[1]};
    cs_span a, b;

    if (cs_split_operands(&c, &a, &b) != CS_OK) {
        refused();
        return;
    }
    show(a);
    printf(" ");
    show(b);
}

/* All numbers of an RSA key; a key of one input is private, of two public: then the second is pub. */
static void rsa_numbers(void)
{
    cs_rsa_key of;
    cs_case c = {.key = input[0], .pub = input[1]};

    memset(&of, 0xee, sizeof of);
    if (input[0].len == 0)
        c.key.data = NULL;
    if (cs_rsa_numbers(&c, &of) != CS_OK) {
        refused();
        return;
    }
    const cs_span order[] = {of.n, of.e, of.d, of.part[0], of.part[1], of.part[2], of.part[3], of.part[4]};
    for (size_t i = 0; i < CS_COUNT(order); i++) {
        printf(i > 0 ? " " : "");
        show(order[i]);
    }
}

/* Two results after each other, as a division leaves them; the memory around them is not zero. */
static void room(size_t len)
{
    uint8_t out[64];
    cs_case c = {.out = out + 8, .out_cap = 48};

    memset(out, 0x5a, sizeof out);
    for (size_t i = 0; i < 2; i++) {
        uint8_t *at = cs_number_room(&c, input[i].len, len);
        if (at == NULL) {
            refused();
            return;
        }
        memcpy(at, input[i].data, input[i].len);
    }
    show((cs_span){.data = out, .len = 16 + c.out_len});
}

static void put(size_t len)
{
    uint8_t out[64];

    memset(out, 0x5a, sizeof out);
    if (cs_put_number(out + 8, len, input[0]) != CS_OK)
        refused();
    else
        show((cs_span){.data = out, .len = len + 16});
}

static void copy(void)
{
    uint8_t out[64];
    cs_case c = {.msg = input[0], .out = out + 8, .out_cap = 48};

    memset(out, 0x5a, sizeof out);
    cs_copy_again(&c);
    show((cs_span){.data = out, .len = 16 + c.msg.len});
}

static void spki(void)
{
    uint8_t out[CS_P256_SPKI];

    if (cs_p256_spki(input[0], out) != CS_OK)
        refused();
    else
        show((cs_span){.data = out, .len = sizeof out});
}

static void spki_k1(void)
{
    uint8_t out[CS_SECP256K1_SPKI];

    if (cs_secp256k1_spki(input[0], out) != CS_OK)
        refused();
    else
        show((cs_span){.data = out, .len = sizeof out});
}

static void spki_brainpool(void)
{
    uint8_t out[CS_BRAINPOOL_P256_SPKI];

    if (cs_brainpool_p256_spki(input[0], out) != CS_OK)
        refused();
    else
        show((cs_span){.data = out, .len = sizeof out});
}

static void spki_384(void)
{
    uint8_t out[CS_P384_SPKI];

    if (cs_p384_spki(input[0], out) != CS_OK)
        refused();
    else
        show((cs_span){.data = out, .len = sizeof out});
}

static void spki_521(void)
{
    uint8_t out[CS_P521_SPKI];

    if (cs_p521_spki(input[0], out) != CS_OK)
        refused();
    else
        show((cs_span){.data = out, .len = sizeof out});
}

static void read_hex(const char *text, size_t which)
{
    size_t len = text[0] == '-' ? 0 : strlen(text) / 2;

    for (size_t i = 0; i < len; i++) {
        char pair[3] = {text[2 * i], text[2 * i + 1], '\0'};
        bytes[which][i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    input[which] = (cs_span){.data = bytes[which], .len = len};
}

/* The seed in pieces of `each` bytes, until there are not so many; then what is left. */
static void draw(size_t each)
{
    cs_stream stream = {input[0]};
    uint8_t piece[64];
    memset(piece, 0xee, sizeof piece);
    while (cs_draw(&stream, piece, each) == CS_OK) {
        for (size_t i = 0; i < each; i++)
            printf("%02x", piece[i]);
        printf(" ");
        memset(piece, 0xee, sizeof piece);
    }
    printf("%s %zu left", piece[0] == 0xee ? cs_failure() : "written", stream.left.len);
    cs_failure_clear();
}

int main(void)
{
    static char line[1 << 15], command[16], text[2][1 << 14];
    size_t number;

    while (fgets(line, sizeof line, stdin) != NULL) {
        if (sscanf(line, "%15s %zu %16383s %16383s", command, &number, text[0], text[1]) != 4)
            return 1;
        read_hex(text[0], 0);
        read_hex(text[1], 1);
        if (strcmp(command, "crt") == 0)
            split_crt();
        else if (strcmp(command, "rsa") == 0)
            rsa_numbers();
        else if (strcmp(command, "operands") == 0)
            split_operands();
        else if (strcmp(command, "room") == 0)
            room(number);
        else if (strcmp(command, "put") == 0)
            put(number);
        else if (strcmp(command, "copy") == 0)
            copy();
        else if (strcmp(command, "spki") == 0)
            spki();
        else if (strcmp(command, "spki-k1") == 0)
            spki_k1();
        else if (strcmp(command, "spki-brainpool") == 0)
            spki_brainpool();
        else if (strcmp(command, "spki-384") == 0)
            spki_384();
        else if (strcmp(command, "spki-521") == 0)
            spki_521();
        else if (strcmp(command, "draw") == 0)
            draw(number);
        else if (cs_expect_length("key", input[0], number) != CS_OK)
            refused();
        printf("\n");
        fflush(stdout);
    }
    return 0;
}

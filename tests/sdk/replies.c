/* SPDX-License-Identifier: Apache-2.0
 *
 * The writer of replies by itself: what it makes of everything that it can be told, of lines that are as long as they
 * may be and longer, and where there is no memory. What is sent goes to standard output.
 */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdlib.h>

/* How many more bytes of memory there are to be had. */
static size_t left = (size_t)1 << 30;
static size_t asked_last;

static void *limited(void *old, size_t bytes)
{
    asked_last = bytes;
    return bytes > left ? NULL : realloc(old, bytes);
}
#define realloc limited
#include "reply.c"

#include <stdio.h>

static bool quiet;
static size_t sent;

bool cs_channel_write(const char *bytes, size_t len)
{
    sent = len;
    return quiet || fwrite(bytes, 1, len, stdout) == len;
}

/* Everything once, with what is empty before something else. */
static void everything(void)
{
    static const uint8_t bytes[] = {0x00, 0x0f, 0xf0, 0xff};
    static const double numbers[] = {0, 0.5, 1e-7, 5e-7, 0.9999995, 900000000000.0, 1e12, -1e-9, 12.25};

    cs_reply_begin(18446744073709551615u);
    cs_reply_object_end();
    cs_reply_end();
    cs_reply_begin(7);
    cs_reply_named_object("empty");
    cs_reply_object_end();
    cs_reply_array("none");
    cs_reply_array_end();
    cs_reply_bool("no", false);
    cs_reply_null("null");
    cs_reply_string("nothing", NULL);
    cs_reply_hex("hex", bytes, sizeof bytes);
    cs_reply_hex("short", bytes, 0);
    cs_reply_unsigned("zero", 0);
    cs_reply_signed("least", INT64_MIN);
    cs_reply_signed("minus", -1);
    cs_reply_signed("most", INT64_MAX);
    cs_reply_array("numbers");
    for (size_t i = 0; i < CS_COUNT(numbers); i++)
        cs_reply_element_number(numbers[i]);
    cs_reply_array_end();
    cs_reply_array("counts");
    cs_reply_element(0);
    cs_reply_element(10);
    cs_reply_array_end();
    cs_reply_array("words");
    cs_reply_element_string("a");
    cs_reply_element_string("");
    cs_reply_array_end();
    cs_reply_array("objects");
    for (int i = 0; i < 3; i++) {
        cs_reply_object();
        if (i != 1)
            cs_reply_number("n", i / 2.0);
        cs_reply_object_end();
    }
    cs_reply_array_end();
    cs_reply_bool("last", true);
    cs_reply_end();
}

/* Texts with every byte after the first of what is no UTF-8, and with what is at its ends. */
static void texts(void)
{
    static const char *const words[] = {"\x1f \x20~\x7f\"\\/",      "\xc2\x80\xdf\xbf",
                                        "\xc1\xbf\xc0\x80",         "\xc2\x7f\xc2\xc0",
                                        "\xe0\xa0\x80\xe0\x9f\xbf", "\xed\x9f\xbf\xed\xa0\x80",
                                        "\xef\xbf\xbf\xe1\x80",     "\xe1\x80\x7f\xe1\x80\xc0",
                                        "\xf0\x90\x80\x80",         "\xf0\x8f\xbf\xbf",
                                        "\xf4\x8f\xbf\xbf",         "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80",         "\xf1\x80\x80",
                                        "\xf1\x80\x80\x7f",         "\x80\xbf\xfe\xff",
                                        "\xee\x80\x80\xec\xbf\xbf", "\xf3\xbf\xbf\xbf"};
    for (size_t i = 0; i < CS_COUNT(words); i++) {
        cs_reply_begin(i);
        cs_reply_string("t", words[i]);
        cs_reply_end();
    }
}

/* A reply of so many bytes, and what was sent instead where it is too long. */
static void of_length(size_t len, bool as_hex)
{
    const size_t around = sizeof "{\"seq\":1,\"ok\":true,\"t\":\"\"}\n" - 1;
    char *text = calloc(1, len);
    memset(text, 'x', len - around);
    quiet = true;
    cs_reply_begin(1);
    if (as_hex)
        cs_reply_hex("t", (const uint8_t *)text, (len - around) / 2);
    else
        cs_reply_string("t", text);
    cs_reply_end();
    quiet = false;
    printf("%zu ", sent);
    free(text);
}

int main(void)
{
    everything();
    texts();
    cs_reply_error(3, "bad-request", "a \"word\"");
    const size_t longest = CS_LINE_MAX;
    of_length(1000, false);
    of_length(20000, false);
    printf("%zu ", asked_last);
    of_length(longest, false);
    of_length(longest + 1, false);
    of_length(longest - 1, true);
    of_length(longest + 1, true);
    of_length(longest * 2, true);
    printf("\n");
    free(buffer);
    buffer = NULL;
    left = capacity = used = 0;
    cs_reply_begin(1234567890);
    cs_reply_end();
    cs_reply_error(0, "no", "memory");
    left = (size_t)1 << 30;
    cs_reply_error(5, "bad-request", "again");
    printf("%zu\n", asked_last);
    return 0;
}

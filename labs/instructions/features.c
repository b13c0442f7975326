/* SPDX-License-Identifier: Apache-2.0
 *
 * What the processor has, asked at run time. x86-64: CPUID, and XCR0 for the registers that the system keeps (Intel SDM
 * volume 2, CPUID; volume 1, section 13.3). AArch64: the hardware capabilities that Linux or macOS tells.
 */
#include "kernels.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

enum word { LEAF1_ECX, LEAF7_EBX, LEAF7_ECX, LEAF71_EAX, WORDS };
#define OSXSAVE (1u << 27)
/* Bits of XCR0: SSE needs nothing beyond the architecture, AVX its upper halves, AVX-512 its masks and wide registers.
 */
#define X_SSE 0u
#define X_AVX 0x6u
#define X_AVX512 0xe6u

static const struct {
    const char *name;
    enum word word;
    unsigned bit;
    unsigned kept;
    const char *no_processor, *no_system;
} features[] = {
    {"aes", LEAF1_ECX, 25, X_SSE, "the processor has no aes", "the system does not keep the registers of aes"},
    {"pclmulqdq", LEAF1_ECX, 1, X_SSE, "the processor has no pclmulqdq",
     "the system does not keep the registers of pclmulqdq"},
    {"ssse3", LEAF1_ECX, 9, X_SSE, "the processor has no ssse3", "the system does not keep the registers of ssse3"},
    {"avx", LEAF1_ECX, 28, X_AVX, "the processor has no avx", "the system does not keep the registers of avx"},
    {"bmi1", LEAF7_EBX, 3, X_SSE, "the processor has no bmi1", "the system does not keep the registers of bmi1"},
    {"avx2", LEAF7_EBX, 5, X_AVX, "the processor has no avx2", "the system does not keep the registers of avx2"},
    {"bmi2", LEAF7_EBX, 8, X_SSE, "the processor has no bmi2", "the system does not keep the registers of bmi2"},
    {"avx512f", LEAF7_EBX, 16, X_AVX512, "the processor has no avx512f",
     "the system does not keep the registers of avx512f"},
    {"adx", LEAF7_EBX, 19, X_SSE, "the processor has no adx", "the system does not keep the registers of adx"},
    {"avx512ifma", LEAF7_EBX, 21, X_AVX512, "the processor has no avx512ifma",
     "the system does not keep the registers of avx512ifma"},
    {"sha", LEAF7_EBX, 29, X_SSE, "the processor has no sha", "the system does not keep the registers of sha"},
    {"avx512bw", LEAF7_EBX, 30, X_AVX512, "the processor has no avx512bw",
     "the system does not keep the registers of avx512bw"},
    {"avx512vl", LEAF7_EBX, 31, X_AVX512, "the processor has no avx512vl",
     "the system does not keep the registers of avx512vl"},
    {"avx512vbmi", LEAF7_ECX, 1, X_AVX512, "the processor has no avx512vbmi",
     "the system does not keep the registers of avx512vbmi"},
    {"gfni", LEAF7_ECX, 8, X_SSE, "the processor has no gfni", "the system does not keep the registers of gfni"},
    {"vaes", LEAF7_ECX, 9, X_AVX, "the processor has no vaes", "the system does not keep the registers of vaes"},
    {"vpclmulqdq", LEAF7_ECX, 10, X_AVX, "the processor has no vpclmulqdq",
     "the system does not keep the registers of vpclmulqdq"},
    {"sha512", LEAF71_EAX, 0, X_AVX, "the processor has no sha512", "the system does not keep the registers of sha512"},
};

static void read_words(unsigned words[WORDS], unsigned *kept)
{
    unsigned a = 0, b = 0, c = 0, d = 0, most = 0;
    memset(words, 0, WORDS * sizeof *words);
    *kept = 0;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        words[LEAF1_ECX] = c;
        if (c & OSXSAVE) {
            unsigned low, high;
            __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
            *kept = low;
        }
    }
    if (__get_cpuid_count(7, 0, &most, &b, &c, &d)) {
        words[LEAF7_EBX] = b;
        words[LEAF7_ECX] = c;
        if (most >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d))
            words[LEAF71_EAX] = a;
    }
}

const char *cs_missing_feature(const char *name)
{
    unsigned words[WORDS], kept;
    read_words(words, &kept);
    for (size_t i = 0; i < CS_COUNT(features); i++) {
        if (strcmp(features[i].name, name) != 0)
            continue;
        if ((words[features[i].word] >> features[i].bit & 1u) == 0)
            return features[i].no_processor;
        return (kept & features[i].kept) == features[i].kept ? NULL : features[i].no_system;
    }
    return "a feature that this build cannot ask for";
}

#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

/* Bits of AT_HWCAP (Linux, Documentation/arch/arm64/elf_hwcaps.rst). */
static const struct {
    const char *name;
    unsigned bit;
    const char *missing;
} features[] = {
    {"aes", 3, "the processor has no aes"},    {"pmull", 4, "the processor has no pmull"},
    {"sha1", 5, "the processor has no sha1"},  {"sha2", 6, "the processor has no sha2"},
    {"sha3", 17, "the processor has no sha3"}, {"sha512", 21, "the processor has no sha512"},
};

const char *cs_missing_feature(const char *name)
{
    unsigned long have = getauxval(AT_HWCAP);
    for (size_t i = 0; i < CS_COUNT(features); i++)
        if (strcmp(features[i].name, name) == 0)
            return (have >> features[i].bit & 1u) ? NULL : features[i].missing;
    return "a feature that this build cannot ask for";
}

#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>

/* Names as Apple documents them (Determining instruction set characteristics). */
static const struct {
    const char *name, *asked, *missing;
} features[] = {
    {"aes", "hw.optional.arm.FEAT_AES", "the processor has no aes"},
    {"pmull", "hw.optional.arm.FEAT_PMULL", "the processor has no pmull"},
    {"sha1", "hw.optional.arm.FEAT_SHA1", "the processor has no sha1"},
    {"sha2", "hw.optional.arm.FEAT_SHA256", "the processor has no sha2"},
    {"sha3", "hw.optional.arm.FEAT_SHA3", "the processor has no sha3"},
    {"sha512", "hw.optional.arm.FEAT_SHA512", "the processor has no sha512"},
};

const char *cs_missing_feature(const char *name)
{
    for (size_t i = 0; i < CS_COUNT(features); i++) {
        int has = 0;
        size_t size = sizeof has;
        if (strcmp(features[i].name, name) == 0)
            return sysctlbyname(features[i].asked, &has, &size, NULL, 0) == 0 && has ? NULL : features[i].missing;
    }
    return "a feature that this build cannot ask for";
}

#else

const char *cs_missing_feature(const char *name)
{
    (void)name;
    return "this build cannot ask this system for features";
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 *
 * Hides the cryptographic extensions of AArch64 from a program that is linked statically: the linker sends every call
 * of getauxval here (`--wrap`), and the answer is that of a processor without them. For machines whose
 * processor the emulator lacks. The counter (sdk/c/count) ends a program that executes such an instruction unasked.
 */
#include <sys/auxv.h>

/* Of the kernel's interface, whose header may be older. */
#define AES 3
#define PMULL 4
#define SHA1 5
#define SHA2 6
#define SHA3 17
#define SM3 18
#define SM4 19
#define SHA512 21
#define SVE_AES 2
#define SVE_PMULL 3
#define SVE_SHA3 5
#define SVE_SM4 6
#define BIT(number) (1UL << (number))

unsigned long __real_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type);

unsigned long __wrap_getauxval(unsigned long type)
{
    const unsigned long found = __real_getauxval(type);
    if (type == AT_HWCAP)
        return found & ~(BIT(AES) | BIT(PMULL) | BIT(SHA1) | BIT(SHA2) | BIT(SHA3) | BIT(SM3) | BIT(SM4) | BIT(SHA512));
    if (type == AT_HWCAP2)
        return found & ~(BIT(SVE_AES) | BIT(SVE_PMULL) | BIT(SVE_SHA3) | BIT(SVE_SM4));
    return found;
}

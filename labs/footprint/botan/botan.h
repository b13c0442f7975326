/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs of Botan share: it throws, and nothing that it throws leaves main.
 */
#ifndef FOOTPRINT_BOTAN_H
#define FOOTPRINT_BOTAN_H

#include "../program.h"

#include <botan/build.h>
#if defined(BOTAN_HAS_AUTO_SEEDING_RNG)
#include <botan/auto_rng.h>
using Generator = Botan::AutoSeeded_RNG;
#elif defined(BOTAN_HAS_SYSTEM_RNG)
#include <botan/system_rng.h>
using Generator = Botan::System_RNG;
#endif

#include <exception>
#include <span>

static inline std::span<const uint8_t> bytes_of(const struct span &of)
{
    return {of.data, of.len};
}

/* What `body` returns; what it threw is `thrown`. */
template <typename Body> static inline int guarded(int thrown, Body body) noexcept
{
    try {
        return body();
    } catch (const std::exception &) {
        return thrown;
    }
}

#endif

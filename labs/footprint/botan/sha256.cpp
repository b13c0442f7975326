/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256, by its name.
 */
#include "botan.h"

#include <botan/hash.h>

int main()
{
    return read_input() ? guarded(BROKEN,
                                  [] {
                                      const auto digest =
                                          Botan::HashFunction::create_or_throw("SHA-256")->process(bytes_of(rest()));

                                      return write_output(digest.data(), digest.size());
                                  })
                        : BROKEN;
}

// SPDX-License-Identifier: Apache-2.0
module cipherstone/labs/tls/peer-go

go 1.19

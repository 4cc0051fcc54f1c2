import { sha256 } from '@noble/hashes/sha2.js'
import { base58, createBase58check } from '@scure/base'

/** Addresses of one chain type. No text is an address of two families. */
export type AddressFamily = {
  readonly name: string
  /** For people, e.g. in refusals. */
  readonly title: string
  /**
   * `holdings` covers all routes on wallets; only some families have `approvals` and `airdrops`. Without any, addresses
   * can be saved but not read.
   */
  readonly tells: readonly ('holdings' | 'approvals' | 'airdrops')[]
  /** Returns the only spelling that Coffer stores, compares and answers with. */
  parse(value: string): string | undefined
}

const EVM = /^0[xX][0-9a-fA-F]{40}$/
/** 32 bytes are 32 (all zero) to 44 base58 digits. */
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const SOLANA_BYTES = 32
const TRON = /^T[1-9A-HJ-NP-Za-km-z]{33}$/
const TRON_BYTES = 21
const TRON_PREFIX = 0x41
const STARKNET = /^0x[0-9a-fA-F]{41,64}$/
/** Starknet addresses are elements of this field. */
const STARKNET_PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n

const base58check = createBase58check(sha256)

/** Lower case, regardless of the EIP-55 spelling. */
export const evmAddresses: AddressFamily = {
  name: 'evm',
  title: 'EVM',
  tells: ['holdings', 'approvals'],
  parse: (value) => (EVM.test(value) ? value.toLowerCase() : undefined),
}

/** Compared as written. */
export const solanaAddresses: AddressFamily = {
  name: 'solana',
  title: 'Solana',
  tells: ['holdings', 'airdrops'],
  parse: (value) => (SOLANA.test(value) && base58.decode(value).length === SOLANA_BYTES ? value : undefined),
}

/** Saved but not read; compared as written. */
export const savedAddresses: readonly AddressFamily[] = [
  { name: 'tron', title: 'Tron', tells: [], parse: (value) => (TRON.test(value) && isTron(value) ? value : undefined) },
  {
    name: 'starknet',
    title: 'Starknet',
    tells: [],
    parse: (value) => (STARKNET.test(value) && BigInt(value) < STARKNET_PRIME ? value : undefined),
  },
]

function isTron(value: string): boolean {
  try {
    const bytes = base58check.decode(value)
    return bytes.length === TRON_BYTES && bytes[0] === TRON_PREFIX
  } catch {
    return false
  }
}

/** Decides which screens can show an address. */
export type AddressFamily = 'evm' | 'solana' | 'virtual'

/** Addresses that one request may name. */
export const SCOPE_MAX = 10

const EVM = /^0x[0-9a-fA-F]{40}$/
const VIRTUAL = /^virtual:[A-Za-z0-9_-]{1,64}$/
/** 32 bytes in base58. A Tron address is base58 as well, of 25 bytes. */
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const TRON = /^T.{33}$/

/** Returns the family that an address looks like; null if unreadable. The service decides. */
export function familyOf(address: string): AddressFamily | null {
  if (EVM.test(address)) return 'evm'
  if (VIRTUAL.test(address)) return 'virtual'
  return SOLANA.test(address) && !TRON.test(address) ? 'solana' : null
}

export const onlyOf = (families: readonly AddressFamily[], addresses: readonly string[]): string[] =>
  addresses.filter((address) => families.some((family) => family === familyOf(address)))

/** Filters addresses that `/v1` calls wallets. */
export const walletsOf = (addresses: readonly string[]): string[] => onlyOf(['evm', 'solana'], addresses)

/** Spells an address like the service's answers. */
const spell = (address: string): string => (EVM.test(address) ? address.toLowerCase() : address)

/** Splits a text at white space, commas or semicolons into unique addresses; `refused` are the other parts. */
export function readAddresses(text: string): { addresses: string[]; refused: string[] } {
  const parts = [
    ...new Set(
      text
        .split(/[\s,;]+/)
        .filter(Boolean)
        .map(spell),
    ),
  ]
  return {
    addresses: parts.filter((part) => familyOf(part) !== null),
    refused: parts.filter((part) => familyOf(part) === null),
  }
}

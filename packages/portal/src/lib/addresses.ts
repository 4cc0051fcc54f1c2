/** What an address is of; which screens can show it follows from that. */
export type AddressFamily = 'evm' | 'solana' | 'virtual'

/** Addresses that one look at the service may name. */
export const SCOPE_MAX = 10

const EVM = /^0x[0-9a-fA-F]{40}$/
const VIRTUAL = /^virtual:[A-Za-z0-9_-]{1,64}$/
/** 32 bytes in base58; a Tron address is in base58 too, and has 25 bytes. */
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const TRON = /^T.{33}$/

/** The family that an address looks like; null for what cannot be read. The service has the last word. */
export function familyOf(address: string): AddressFamily | null {
  if (EVM.test(address)) return 'evm'
  if (VIRTUAL.test(address)) return 'virtual'
  return SOLANA.test(address) && !TRON.test(address) ? 'solana' : null
}

/** Addresses of some families, e.g. those that `/v1/portfolio` takes. */
export const onlyOf = (families: readonly AddressFamily[], addresses: readonly string[]): string[] =>
  addresses.filter((address) => families.some((family) => family === familyOf(address)))

/** Those that `/v1` calls wallets. */
export const walletsOf = (addresses: readonly string[]): string[] => onlyOf(['evm', 'solana'], addresses)

/** In the spelling that the service answers with. */
const spell = (address: string): string => (EVM.test(address) ? address.toLowerCase() : address)

/** The addresses in a text, parted by white space, commas or semicolons, each once; `refused` are parts that are none. */
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

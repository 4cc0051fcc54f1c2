import {
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getAddressDecoder,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Transaction,
} from '@solana/kit'

type Message = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime
/** Wallets send these. A further version has fields that the chain does not run. */
type KnownMessage = Extract<Message, { version: 'legacy' | 0 }>

export type LoadedAddresses = { writable: Address[]; readonly: Address[] }

export type WireTransaction = {
  wire: Uint8Array
  transaction: Transaction
  message: KnownMessage
  /** Base58, in signer order. The first is the transaction's ID. */
  signatures: readonly string[]
  signature: string
}

const UNSIGNED = new Uint8Array(64)
const ADDRESS_BYTES = 32
/** Header of a lookup table. Only addresses follow. */
const TABLE_HEADER_BYTES = 56

/** Throws unless the bytes are a transaction of a supported version. */
export const readWireTransaction = (wire: Uint8Array): WireTransaction => {
  const transaction = getTransactionDecoder().decode(wire)
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
  if (message.version !== 'legacy' && message.version !== 0) throw new Error(`version ${message.version}`)
  const base58 = getBase58Decoder()
  const signatures = Object.values(transaction.signatures).map((bytes) => base58.decode(bytes ?? UNSIGNED))
  const [signature] = signatures
  if (signature === undefined) throw new Error('no signature')
  return { wire, transaction, message, signatures, signature }
}

const addressIn = (table: Uint8Array | null, index: number): Address | null => {
  const offset = TABLE_HEADER_BYTES + index * ADDRESS_BYTES
  return table && offset + ADDRESS_BYTES <= table.length ? getAddressDecoder().decode(table, offset) : null
}

/** Null if a table lacks an address. */
export const loadAddresses = (
  { message }: WireTransaction,
  tableOf: (address: Address) => Uint8Array | null,
): LoadedAddresses | null => {
  const lookups = message.version === 0 ? (message.addressTableLookups ?? []) : []
  const tables = lookups.map((lookup) => ({ ...lookup, data: tableOf(lookup.lookupTableAddress) }))
  const writable = tables.flatMap((table) => table.writableIndexes.map((index) => addressIn(table.data, index)))
  const readonly = tables.flatMap((table) => table.readonlyIndexes.map((index) => addressIn(table.data, index)))
  const isThere = (address: Address | null) => address !== null
  return writable.every(isThere) && readonly.every(isThere) ? { writable, readonly } : null
}

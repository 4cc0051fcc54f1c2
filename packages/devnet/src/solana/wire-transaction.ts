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
/** One version of the message has more fields than the chain runs; these two are what wallets send. */
type KnownMessage = Extract<Message, { version: 'legacy' | 0 }>

export type LoadedAddresses = { writable: Address[]; readonly: Address[] }

/** A transaction as it was sent, read. */
export type WireTransaction = {
  wire: Uint8Array
  transaction: Transaction
  message: KnownMessage
  /** Base58, in the order of the signers; the first names the transaction. */
  signatures: readonly string[]
  signature: string
}

const UNSIGNED = new Uint8Array(64)
const ADDRESS_BYTES = 32
/** Behind this header a lookup table is nothing but addresses. */
const TABLE_HEADER_BYTES = 56

/** Throws when the bytes are no transaction of a version that the chain runs. */
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

/** What a transaction loads from lookup tables; null when a table lacks it. `tableOf` answers a table's data. */
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

import { toEventSelector } from 'viem'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../domain/transaction.ts'
import type { Hex } from '../rpc-values.ts'

const PREFIX_CHARS = 2
const WORD_CHARS = 64
const WORD_BYTES = 32n
const ADDRESS_START = 26

/** `declaration`: without names. */
export function topicOf(declaration: string): Hex {
  return toEventSelector(`event ${declaration}`)
}

/** ERC-20 and ERC-721. */
export const TRANSFER = topicOf('Transfer(address,address,uint256)')
/** ERC-404 units. Its `Transfer` carries their NFT IDs. */
export const UNITS_TRANSFER = topicOf('ERC20Transfer(address,address,uint256)')

const addressIn = (text: string | undefined): EvmAddress | undefined =>
  text === undefined ? undefined : `0x${text.slice(ADDRESS_START).toLowerCase()}`

export const addressTopic = ({ topics }: ReceiptLog, place: number): EvmAddress | undefined => addressIn(topics[place])

export function numberTopic({ topics }: ReceiptLog, place: number): bigint | undefined {
  const topic = topics[place]
  return topic === undefined ? undefined : BigInt(topic)
}

/** Undefined for short data: logs are untrusted and must not throw. */
function wordText({ data }: ReceiptLog, place: number): Hex | undefined {
  const start = PREFIX_CHARS + place * WORD_CHARS
  const text = data.slice(start, start + WORD_CHARS)
  return text.length === WORD_CHARS ? `0x${text}` : undefined
}

export function word(log: ReceiptLog, place: number): bigint | undefined {
  const text = wordText(log, place)
  return text && BigInt(text)
}

export function wordsOf(log: ReceiptLog): bigint[] {
  const count = Math.floor((log.data.length - PREFIX_CHARS) / WORD_CHARS)
  return [...log.topics.slice(1).map(BigInt), ...Array.from({ length: count }, (_, i) => word(log, i) ?? 0n)]
}

export const addressWord = (log: ReceiptLog, place: number): EvmAddress | undefined => addressIn(wordText(log, place))

/** `place`: of the offset. Undefined if the list exceeds the data. */
export function wordList(log: ReceiptLog, place: number): bigint[] | undefined {
  const words = BigInt(Math.floor((log.data.length - PREFIX_CHARS) / WORD_CHARS))
  const offset = word(log, place)
  if (offset === undefined || offset % WORD_BYTES !== 0n || offset / WORD_BYTES >= words) return undefined
  const start = Number(offset / WORD_BYTES)
  const length = word(log, start)
  if (length === undefined || BigInt(start) + 1n + length > words) return undefined
  return Array.from({ length: Number(length) }, (_, i) => word(log, start + 1 + i) ?? 0n)
}

import { toEventSelector } from 'viem'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../domain/transaction.ts'

type Hex = `0x${string}`

const PREFIX_CHARS = 2
const WORD_CHARS = 64
const WORD_BYTES = 32n
const ADDRESS_START = 26

/** First topic of an event, from its declaration without names: `Transfer(address,address,uint256)`. */
export function topicOf(declaration: string): Hex {
  return toEventSelector(`event ${declaration}`)
}

/** Of ERC-20 and ERC-721 alike. */
export const TRANSFER = topicOf('Transfer(address,address,uint256)')
/** Units of ERC-404. Their `Transfer` names the ids of the NFTs that the same units are. */
export const UNITS_TRANSFER = topicOf('ERC20Transfer(address,address,uint256)')

/** The address in a topic. `undefined` when the log has no such topic. */
export function addressTopic({ topics }: ReceiptLog, place: number): EvmAddress | undefined {
  const topic = topics[place]
  return topic === undefined ? undefined : `0x${topic.slice(ADDRESS_START).toLowerCase()}`
}

/** The number in a topic. */
export function numberTopic({ topics }: ReceiptLog, place: number): bigint | undefined {
  const topic = topics[place]
  return topic === undefined ? undefined : BigInt(topic)
}

/** A word of the data as a number. Logs are untrusted: data that ends too early is `undefined`, never an error. */
export function word({ data }: ReceiptLog, place: number): bigint | undefined {
  const start = PREFIX_CHARS + place * WORD_CHARS
  const text = data.slice(start, start + WORD_CHARS)
  return text.length === WORD_CHARS ? BigInt(`0x${text}`) : undefined
}

/** The indexed fields of a log and the whole words of its data, as numbers. */
export function wordsOf(log: ReceiptLog): bigint[] {
  const count = Math.floor((log.data.length - PREFIX_CHARS) / WORD_CHARS)
  return [...log.topics.slice(1).map(BigInt), ...Array.from({ length: count }, (_, i) => word(log, i) ?? 0n)]
}

/** A word of the data as an address. */
export function addressWord({ data }: ReceiptLog, place: number): EvmAddress | undefined {
  const start = PREFIX_CHARS + place * WORD_CHARS
  const text = data.slice(start, start + WORD_CHARS)
  return text.length === WORD_CHARS ? `0x${text.slice(ADDRESS_START - PREFIX_CHARS).toLowerCase()}` : undefined
}

/** The dynamic list of numbers whose offset stands at a place of the data. `undefined` when it does not fit into the data. */
export function wordList(log: ReceiptLog, place: number): bigint[] | undefined {
  const words = BigInt(Math.floor((log.data.length - PREFIX_CHARS) / WORD_CHARS))
  const offset = word(log, place)
  if (offset === undefined || offset % WORD_BYTES !== 0n || offset / WORD_BYTES >= words) return undefined
  const start = Number(offset / WORD_BYTES)
  const length = word(log, start)
  if (length === undefined || BigInt(start) + 1n + length > words) return undefined
  return Array.from({ length: Number(length) }, (_, i) => word(log, start + 1 + i) ?? 0n)
}

import type { RpcRequest } from './json-rpc.ts'

const LONGEST_BYTES = 32_000_000
/** About eight times the longest packed answer (512,000 bytes), in hex digits. */
const CALL_BYTES = 8_000_000
/** Transaction hashes of 70 bytes each. */
const HEADER_BYTES = 4_000_000
/** Fits a gateway's error page. */
const SHORT_BYTES = 256_000

const SHORT_METHODS = [
  'eth_blockNumber',
  'eth_chainId',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'net_version',
  'getBlockHeight',
  'getBlockTime',
  'getFirstAvailableBlock',
  'getGenesisHash',
  'getSlot',
  'minimumLedgerSlot',
]

const lengths = new Map<string, number>([
  ['eth_call', CALL_BYTES],
  ...SHORT_METHODS.map((method): [string, number] => [method, SHORT_BYTES]),
])

/** Bytes after decompression. */
export function longestAnswer(requests: readonly RpcRequest<unknown>[]): number {
  const bytes = requests.reduce((sum, request) => sum + longestOf(request), 0)
  return Math.min(LONGEST_BYTES, bytes)
}

function longestOf({ method, params }: RpcRequest<unknown>): number {
  if (method === 'eth_getBlockByNumber' && params[1] === false) return HEADER_BYTES
  return lengths.get(method) ?? LONGEST_BYTES
}

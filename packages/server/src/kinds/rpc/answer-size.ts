/** Logs and blocks have some MB; beyond this a node is misbehaving. */
const LONGEST_BYTES = 32_000_000
/** About eight times the longest packed answer (512,000 bytes), as hexadecimal digits. */
const CALL_BYTES = 8_000_000
/** Fits a number, a hash, or a gateway's error page. */
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

/** The longest answer to a method that is accepted, in bytes after decompression. */
export function longestAnswer(method: string): number {
  return lengths.get(method) ?? LONGEST_BYTES
}

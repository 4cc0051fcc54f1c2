/** Best first; see `read-fallbacks.ts`. */
export type Fallback = 'override' | 'creation' | 'multicall3' | 'single'

/** Plain JSON. */
export type Capabilities = {
  fallback: Fallback
  /** Unix milliseconds. */
  fallbackUntil: number
  /** Per `eth_call`. */
  gasCeiling: number
  /** Per `eth_call`; null until longer ones were refused. */
  inputBytes: number | null
  /** More gas was tried: `gasCeiling` is the node's own. */
  gasSettled: boolean
  /** `Again`: for another owner. */
  gasPerToken: number
  gasPerTokenAgain: number
  gasPerCall: number
  gasPerLens: number
  gasPerHeld: number
  /** False if a call sees another parent hash than listed. */
  seesParent: boolean
  /** Last accepted `eth_getLogs` width, in decimal. */
  logRange: string | null
  /** Smallest width refused regardless of the logs; `until` in Unix milliseconds. */
  logLimit: { blocks: string; until: number } | null
  /** First block with logs; older ones are tried again after `until`. */
  logsFrom: { block: string; until: number } | null
  topicValues: number
  /** 1 if batches are refused. */
  batchSize: number
  /** True if `eth_getLogs` needs no topic; null until tested. */
  anyEvent: boolean | null
  /** `until` in Unix milliseconds. */
  refused: Record<string, { until: number; pause: number }>
  /** Not tested again until then (Unix milliseconds). */
  answered: Record<string, number>
}

/** Default of geth and reth. */
const GAS_CEILING = 50_000_000

/** A warm proxy costs 6,400 gas; some tokens burn their whole cap. */
const GAS_PER_TOKEN = 8_500
/** A cold slot of a warm contract. */
const GAS_PER_TOKEN_AGAIN = 5_000
const GAS_PER_CALL = 100_000
const GAS_PER_LENS = 3_000_000
const GAS_PER_HELD = 1_000_000
const BATCH_SIZE = 50
/** geth's limit. */
const TOPIC_VALUES = 1000

export function freshCapabilities(): Capabilities {
  return {
    fallback: 'override',
    fallbackUntil: 0,
    gasCeiling: GAS_CEILING,
    inputBytes: null,
    gasSettled: false,
    gasPerToken: GAS_PER_TOKEN,
    gasPerTokenAgain: GAS_PER_TOKEN_AGAIN,
    gasPerCall: GAS_PER_CALL,
    gasPerLens: GAS_PER_LENS,
    gasPerHeld: GAS_PER_HELD,
    seesParent: true,
    logRange: null,
    logLimit: null,
    logsFrom: null,
    topicValues: TOPIC_VALUES,
    batchSize: BATCH_SIZE,
    anyEvent: null,
    refused: {},
    answered: {},
  }
}

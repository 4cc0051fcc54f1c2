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

export function freshCapabilities(): Capabilities {
  return {
    fallback: 'override',
    fallbackUntil: 0,
    // Default of geth and reth.
    gasCeiling: 50_000_000,
    inputBytes: null,
    gasSettled: false,
    // A warm proxy costs 6,400 gas; some tokens burn their whole cap.
    gasPerToken: 8_500,
    // A cold slot of a warm contract.
    gasPerTokenAgain: 5_000,
    gasPerCall: 100_000,
    gasPerLens: 3_000_000,
    gasPerHeld: 1_000_000,
    seesParent: true,
    logRange: null,
    logLimit: null,
    logsFrom: null,
    // geth's limit.
    topicValues: 1000,
    batchSize: 50,
    anyEvent: null,
    refused: {},
    answered: {},
  }
}

/** Best first; see `read-fallbacks.ts`. */
export type Fallback = 'override' | 'creation' | 'multicall3' | 'single'

/** Times are Unix milliseconds. */
type Until = { until: number }

/** Plain JSON: stored between starts. */
export type Capabilities = ReturnType<typeof freshCapabilities>

export function freshCapabilities() {
  return {
    fallback: 'override' as Fallback,
    fallbackUntil: 0,
    /** Per `eth_call`. Default of geth and reth. */
    gasCeiling: 50_000_000,
    /** Per `eth_call`; null until longer ones were refused. */
    inputBytes: null as number | null,
    /** More gas was tried: `gasCeiling` is the node's own. */
    gasSettled: false,
    /** A warm proxy costs 6,400 gas; some tokens burn their whole cap. */
    gasPerToken: 8_500,
    /** For another owner: a cold slot of a warm contract. */
    gasPerTokenAgain: 5_000,
    gasPerCall: 100_000,
    gasPerLens: 3_000_000,
    gasPerHeld: 1_000_000,
    /** False if a call sees another parent hash than listed. */
    seesParent: true,
    /** Last accepted `eth_getLogs` width, in decimal. */
    logRange: null as string | null,
    /** Smallest width refused regardless of the logs. */
    logLimit: null as ({ blocks: string } & Until) | null,
    /** First block with logs. */
    logsFrom: null as ({ block: string } & Until) | null,
    /** geth's limit. */
    topicValues: 1000,
    /** 1 if batches are refused. */
    batchSize: 50,
    /** True if `eth_getLogs` needs no topic; null until tested. */
    anyEvent: null as boolean | null,
    refused: {} as Record<string, { pause: number } & Until>,
    answered: {} as Record<string, number>,
  }
}

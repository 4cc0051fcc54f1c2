/** The ways to run a packed read, best first; see `read-ladder.ts`. */
export type Rung = 'override' | 'creation' | 'multicall3' | 'single'

/**
 * What an endpoint is known to support. Learned while reading; a stored copy only saves learning it again. Plain JSON.
 */
export type Capabilities = {
  /** The best way to read that it accepts; `override` until it refuses that. */
  rung: Rung
  /** Unix milliseconds at which better ways are tried again. */
  rungUntil: number
  /** Gas that one `eth_call` may ask for. */
  gasCeiling: number
  /** Bytes of input that one `eth_call` may carry; null until longer ones were refused. */
  inputBytes: number | null
  /** Whether more gas was tried: the ceiling is then what this node grants, not the usual default. */
  gasSettled: boolean
  /**
   * Gas that a scanned token, the same token of one more owner, a call, a call to a lens and the calls about what one scan finds
   * use on this endpoint.
   */
  gasPerToken: number
  gasPerTokenAgain: number
  gasPerCall: number
  gasPerLens: number
  gasPerHeld: number
  /** False if the parent hash seen inside a call differs from the listed one. */
  seesParent: boolean
  /** Blocks that `eth_getLogs` took last, as a decimal string; null before the first answer. */
  logRange: string | null
  /** The smallest `eth_getLogs` width refused regardless of the logs; tried again after `until` (Unix milliseconds). */
  logLimit: { blocks: string; until: number } | null
  /** The first block whose logs are kept. Older blocks are tried again after `until` (Unix milliseconds). */
  logsFrom: { block: string; until: number } | null
  /** Values that `eth_getLogs` takes for one topic. */
  topicValues: number
  /** Calls in one JSON-RPC batch; 1 when batches are refused. */
  batchSize: number
  /** Whether `eth_getLogs` finds events of every kind if none is named; null until tested. */
  anyEvent: boolean | null
  /** Methods that are not offered; each is left alone until `until` (Unix milliseconds), for `pause` milliseconds. */
  refused: Record<string, { until: number; pause: number }>
  /** Methods that answered a neutral request after a refusal; each is not tested again until then (Unix milliseconds). */
  answered: Record<string, number>
}

/** geth's and reth's own default; what a node really grants is read in the answer. */
const GAS_CEILING = 50_000_000

/** Per token: a warm proxy costs 6,400 gas, and a list has heavier ones and some that burn their whole cap. */
const GAS_PER_TOKEN = 8_500
/** A slot that was not read before, at a contract that was. */
const GAS_PER_TOKEN_AGAIN = 5_000
const GAS_PER_CALL = 100_000
const GAS_PER_LENS = 3_000_000
const GAS_PER_HELD = 1_000_000
const BATCH_SIZE = 50
/** geth's own limit. */
const TOPIC_VALUES = 1000

export function freshCapabilities(): Capabilities {
  return {
    rung: 'override',
    rungUntil: 0,
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

/** The ways to run a packed read, best first; see `read-ladder.ts`. */
export type Rung = 'override' | 'creation' | 'multicall3' | 'single'

/** What an endpoint has shown it can do. Learned while reading; a stored copy only saves the first lessons. Plain JSON. */
export type Capabilities = {
  /** Best way it is known to take; `override` until it refused. */
  rung: Rung
  /** Unix milliseconds: then the better ways are tried again. */
  rungUntil: number
  /** Gas that one `eth_call` may ask for. */
  gasCeiling: number
  /** Bytes of input that one `eth_call` may carry; null until longer ones were refused. */
  inputBytes: number | null
  /** Whether more was asked for once: the ceiling is then what the node grants, and not only what most do. */
  gasSettled: boolean
  /** Gas that a token of a scan, and a call, have cost here. */
  gasPerToken: number
  gasPerCall: number
  /** False where the parent hash seen inside a call is not the one that blocks are listed with. */
  seesParent: boolean
  /** Blocks that `eth_getLogs` took last, as a decimal string; null before the first answer. */
  logRange: string | null
  /** Blocks that `eth_getLogs` refused whatever was in them, the fewest, until it is tried again (Unix milliseconds). */
  logLimit: { blocks: string; until: number } | null
  /** The first block whose logs are kept, where older ones were refused, until older ones are tried again. */
  logsFrom: { block: string; until: number } | null
  /** Calls in one JSON-RPC batch; 1 when batches are refused. */
  batchSize: number
  /** Whether `eth_getLogs` finds events of every kind when none is named; null until that was shown. */
  anyEvent: boolean | null
  /** Methods that are not offered, each with the Unix milliseconds until which it is left alone, and for how many that is. */
  refused: Record<string, { until: number; pause: number }>
}

/** geth's and reth's own default; what a node really grants is read in the answer. */
const GAS_CEILING = 50_000_000

/** Per token: a warm proxy costs 6,400 gas, and a list has heavier ones and some that burn their whole cap. */
const GAS_PER_TOKEN = 8_500
const GAS_PER_CALL = 100_000
const BATCH_SIZE = 50

export function freshCapabilities(): Capabilities {
  return {
    rung: 'override',
    rungUntil: 0,
    gasCeiling: GAS_CEILING,
    inputBytes: null,
    gasSettled: false,
    gasPerToken: GAS_PER_TOKEN,
    gasPerCall: GAS_PER_CALL,
    seesParent: true,
    logRange: null,
    logLimit: null,
    logsFrom: null,
    batchSize: BATCH_SIZE,
    anyEvent: null,
    refused: {},
  }
}

import type { Bridge } from '../../bridge.ts'
import bridges from './bridges.json' with { type: 'json' }

/**
 * The canonical bridges of rollups and the largest others, each with where its addresses are from. Only contracts that take
 * coins in, pay them out or log an event in every such transaction. A chain's own bridge has the chain's key and `_bridge`
 * for its key.
 */
export const bridgeRows = bridges as unknown as readonly Bridge[]

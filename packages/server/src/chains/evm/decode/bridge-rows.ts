import type { Bridge } from '../../bridge.ts'
import bridges from './bridges.json' with { type: 'json' }

/**
 * Canonical bridges of rollups and the largest others. Lists only contracts that take coins in, pay them out or log
 * every transfer. A chain's own bridge has the key `<chain>_bridge`.
 */
export const bridgeRows = bridges as unknown as readonly Bridge[]

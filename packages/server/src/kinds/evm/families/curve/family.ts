import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import { isDeployed } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import type { Family, Instrument } from '../family.ts'
import { gaugeAt, gaugePosition, hasEarned, isGauge, shareOf } from '../shared/gauges.ts'
import { discoverEscrow, isLock, isLocked, lockPosition } from '../shared/vote-escrow.ts'
import { type Deployment, deployment } from './deployment.ts'
import { curveHistory } from './history.ts'
import { instrumentOf, shareAt, worthOf } from './pools.ts'
import { curveRows } from './rows.ts'

/**
 * Curve: shares of pools of every generation, as what a withdrawal in proportion pays; gauges as the share that is staked
 * in them, with what could be claimed; CRV that is locked for votes, with fees. Pools and gauges of the row are read for
 * everybody, the others where the wallet's logs lead to them and a registry, a factory or the controller vouches for them.
 */
export const curve: Family<Deployment> = {
  name: 'curve',
  deployment,
  rows: curveRows,
  eachAlone: true,
  countsWhereSent: true,

  async discover({ reader, deployment: { pools, gauges, escrow } }) {
    const found = await Promise.all([
      ...pools.map(async ({ pool, token = pool, gauge }): Promise<(Instrument | undefined)[]> => {
        if (!(await isDeployed(reader, pool))) return []
        return Promise.all([
          instrumentOf(reader, { pool, token }),
          gauge && gauges ? gaugeAt(reader, gauges, gauge, true) : undefined,
        ])
      }),
      escrow ? discoverEscrow(reader, escrow) : [],
    ])
    return found.flat().flatMap((instrument) => instrument ?? [])
  },

  async recognise({ reader, deployment: row, tokens }) {
    const found = await Promise.all(
      tokens.flatMap((token) => [shareAt(reader, row, token), row.gauges && gaugeAt(reader, row.gauges, token)]),
    )
    return found.flatMap((instrument) => instrument ?? [])
  },

  /** A share is vouched for by whoever registered its pool; gauges are many, and read for those to whom they were sent. */
  vouches: ({ pools }, instrument) => !isGauge(instrument) || pools.some(({ gauge }) => gauge === instrument.address),

  async probe({ reader, wallet, instrument }) {
    if (isLock(instrument)) return isLocked(reader, instrument, wallet)
    return isGauge(instrument) && hasEarned(reader, instrument, wallet)
  },

  positions: eachAlone(async ({ reader, deployment: { gauges, escrow }, wallet }, held) => {
    if (escrow && isLock(held)) return lockPosition(reader, escrow, held, wallet)
    if (gauges && isGauge(held)) return gaugePosition(reader, gauges, held, wallet)
    return {
      ...{ kind: 'liquidity', label: 'Pool', pool: evmAddress(held.data?.['pool'] ?? NATIVE) },
      supplied: await worthOf(reader, held, held.balanceRaw),
      ...{ borrowed: [], rewards: [], receipts: [held.address] },
    } satisfies PositionDraft
  }),

  async decompose({ reader, instrument, amountRaw }) {
    if (!instrument.fungible) return undefined
    return isGauge(instrument) ? shareOf(instrument, amountRaw) : worthOf(reader, instrument, amountRaw)
  },

  history: curveHistory,
}

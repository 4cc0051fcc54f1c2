import type { ProtocolAdapter } from '../adapter.ts'
import { answerOf } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import { lockAbi, stakeAbi, yieldAbi } from './abi.ts'
import { listKeepers, madeByFactories } from './contracts.ts'
import { type Deployment, deployment } from './deployment.ts'
import { pendleHistory, tradedMarkets } from './history.ts'
import { pendleLens } from './pendle-lens.bytecode.ts'
import {
  lockPosition,
  marketPosition,
  principalPosition,
  sharesPosition,
  stakePositions,
  yieldPosition,
} from './positions.ts'
import { pendleRows } from './rows.ts'
import { bondOf, liquidityOf } from './worth.ts'

const READERS = {
  market: marketPosition,
  pt: principalPosition,
  yt: yieldPosition,
  sy: sharesPosition,
  lock: lockPosition,
  stake: stakePositions,
} as const

const isRole = (role: string): role is keyof typeof READERS => role in READERS

/**
 * Pendle: LP, PT, YT, SY; locked and staked PENDLE. Factories vouch for code, but anyone may write an SY: it counts
 * only if it holds what its shares claim.
 */
export const pendle: ProtocolAdapter<Deployment> = {
  name: 'pendle',
  deployment,
  rows: pendleRows,
  lenses: [pendleLens],
  eachAlone: true,
  countsWhereSent: true,

  discover: listKeepers,

  keyLogs: ({ routers }) => tradedMarkets(routers),

  recognise: ({ tokens, ...at }) => madeByFactories(at, tokens),

  vouches: ({ lock, stake }, { address }) => address === lock || address === stake,

  /** Sold YTs leave interest; ended locks and cooldowns have no balance. */
  async probe({ reader, wallet, protocolContract: { address, role } }) {
    const args = [wallet] as const
    const amounts = {
      lock: () =>
        answerOf(reader, address, reader.tryRead({ address, abi: lockAbi, functionName: 'positionData', args })),
      stake: () =>
        answerOf(reader, address, reader.tryRead({ address, abi: stakeAbi, functionName: 'userCooldown', args })),
      yt: () =>
        answerOf(reader, address, reader.tryRead({ address, abi: yieldAbi, functionName: 'userInterest', args })),
    }
    const read = role === 'lock' || role === 'stake' || role === 'yt' ? amounts[role] : undefined
    const [first = 0n, second = 0n] = (await read?.()) ?? []
    return (role === 'lock' ? first : second) > 0n
  },

  positions: eachAlone((scope, protocolContract) => {
    if (!isRole(protocolContract.role)) throw new Error(`${protocolContract.address} has no role of this family`)
    return READERS[protocolContract.role](scope, protocolContract)
  }),

  async decompose({ protocolContract, amountRaw, ...at }) {
    switch (protocolContract.role) {
      case 'market':
        return liquidityOf(at, protocolContract, amountRaw)
      case 'pt':
      case 'yt':
        return bondOf(at, protocolContract, amountRaw)
      case 'stake':
        return [{ token: at.deployment.pendle, amountRaw }]
      default:
        // The amount depends on all claims on the SY.
        return undefined
    }
  },

  history: (contracts) => pendleHistory(contracts),
}

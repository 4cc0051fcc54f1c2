import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import { type ProtocolAdapter, rowsByChain } from '../adapter.ts'
import { eachAlone } from '../deployment.ts'
import chains from './chains.json' with { type: 'json' }
import { bondOf, type Deployment, deployment, liquidityOf, listKeepers, madeByFactories } from './contracts.ts'
import { pendleLens } from './pendle-lens.bytecode.ts'
import { hasClaim, READERS } from './positions.ts'

/** Factories vouch for code, but anyone may write an SY: it counts only if it holds its shares' claims. */
export const pendle: ProtocolAdapter<Deployment> = {
  name: 'pendle',
  deployment,
  /**
   * Sources: @pendle/core-v2 6.11.0; vePENDLE from Stake DAO's staker and DefiLlama's adapters. Oracle and router are the
   * same on all chains.
   */
  rows: rowsByChain({ key: 'pendle', name: 'Pendle', siteUrl: 'https://app.pendle.finance' }, chains),
  lenses: [pendleLens],
  eachAlone: true,
  countsWhereSent: true,

  discover: listKeepers,

  /** PTs and YTs do not name their market. */
  keyLogs: ({ routers }) =>
    routers.flatMap((contract) => TRADED.map((topic) => ({ contract, topic, walletAt: 1, keyAt: 2, contractAt: 2 }))),

  recognise: ({ tokens, ...at }) => madeByFactories(at, tokens),

  vouches: ({ lock, stake }, { address }) => address === lock || address === stake,

  probe: ({ reader, wallet, protocolContract }) => hasClaim(reader, protocolContract, wallet),

  positions: eachAlone((scope, protocolContract) => {
    const read = READERS.get(protocolContract.role)
    if (!read) throw new Error(`${protocolContract.address} has no role of this family`)
    return read(scope, protocolContract)
  }),

  async decompose({ protocolContract, amountRaw, ...at }) {
    const { role } = protocolContract
    if (role === 'market') return liquidityOf(at, protocolContract, amountRaw)
    if (role === 'pt' || role === 'yt') return bondOf(at, protocolContract, amountRaw)
    // The amount of an SY depends on all claims on it.
    return role === 'stake' ? [{ token: at.deployment.pendle, amountRaw }] : undefined
  },

  history: pendleHistory,
}

/** Logs the whole lock: the transfer before it has the new part. */
const LOCKED = topicOf('NewLockPosition(address,uint128,uint128)')
const UNLOCKED = topicOf('Withdraw(address,uint128)')
const COOLING = topicOf('CooldownInitiated(address,uint256,uint256)')
const COOLING_CANCELLED = topicOf('CooldownCanceled(address,uint256)')
const UNSTAKED = topicOf('Unstaked(address,uint256,uint256)')
/** Router: trader, market. */
const TRADED = ['Pt', 'Yt'].flatMap((bond) => [
  topicOf(`Swap${bond}AndSy(address,address,address,int256,int256)`),
  topicOf(`Swap${bond}AndToken(address,address,address,address,int256,int256,uint256)`),
])
const INTEREST_PAID = topicOf('RedeemInterest(address,uint256)')

function pendleHistory({ routers, pendle }: Deployment): ProtocolHistory {
  return {
    purposes: { market: 'liquidity', pt: 'deposit', yt: 'deposit', sy: 'deposit', stake: 'stake' },
    /** A PT and its YT are minted and redeemed together. */
    pairOf: ({ role, data }) => (role === 'pt' || role === 'yt' ? data?.['yt'] : undefined),
    contracts: routers,
    step: (log, wallet, context) => (addressTopic(log, 1) === wallet ? stepOf(log, pendle, context) : undefined),
  }
}

function stepOf(log: ReceiptLog, pendle: EvmAddress, { earlier, data }: LogContext): Step | undefined {
  const amountRaw = word(log, 0)
  if (amountRaw === undefined) return undefined
  const position = { contract: log.address, id: 0n }
  const units = { token: pendle, amountRaw }
  switch (log.topics[0]) {
    case LOCKED:
      return { kind: 'put', purpose: 'stake', position, token: pendle, amountRaw: paidTo(log, pendle, earlier()) }
    case UNLOCKED:
      return { kind: 'take', purpose: 'stake', position, ...units }
    case COOLING:
      return { kind: 'request', purpose: 'unstake', position, receipt: { token: log.address, amountRaw }, due: units }
    case COOLING_CANCELLED:
      return { kind: 'take', purpose: 'unstake', position, token: log.address, amountRaw }
    case UNSTAKED:
      return isBurnt(log, earlier()) ? undefined : { kind: 'take', purpose: 'unstake', position, ...units }
    case INTEREST_PAID:
      return data['sy'] === undefined ? undefined : { kind: 'claim', token: evmAddress(data['sy']), amountRaw }
    default:
      return undefined
  }
}

function paidTo({ address }: ReceiptLog, pendle: EvmAddress, earlier: readonly ReceiptLog[]): bigint {
  const paid = earlier.flatMap(transfersOf).findLast(({ token, to }) => token === pendle && to === address)
  return paid?.amountRaw ?? 0n
}

/** Unstaking at once, for a fee, burns sPENDLE. */
const isBurnt = ({ address }: ReceiptLog, earlier: readonly ReceiptLog[]) =>
  earlier.flatMap(transfersOf).some(({ token, to }) => token === address && to === NATIVE)

import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { NftStep, ProtocolHistory } from '../../decode/protocol-history.ts'

const MODIFY = topicOf('ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)')
const LIQUIDITY_DELTA = 2
const SALT = 3

type Change = { tokenId: bigint; delta: bigint; paid: TokenAmount[] }

/** The pool manager logs no amounts: its transfers have them. A removal pays fees too, which no log separates. */
export function uniswapV4History(poolManager: EvmAddress, positionManager: EvmAddress): ProtocolHistory {
  return {
    purposes: { manager: 'liquidity' },
    contracts: [poolManager],
    nftSteps: (logs) => nftSteps(logs, poolManager, positionManager),
  }
}

function nftSteps(logs: readonly ReceiptLog[], poolManager: EvmAddress, manager: EvmAddress): NftStep[] {
  const changes = changesIn(logs, poolManager, manager)
  const byNft = Map.groupBy(changes, ({ tokenId }) => tokenId)
  return [...byNft].map(([tokenId, own], place) => {
    const delta = own.reduce((sum, change) => sum + change.delta, 0n)
    const reduced = own.some((change) => change.delta < 0n)
    const as = kindOf(delta, reduced)
    const step = { manager, tokenId, payers: [poolManager, manager], put: [], principal: [], fees: [], reduced }
    if (byNft.size === 1) return { ...step, rest: { as } }
    // The order of logs separates NFTs; the native coin has no logs.
    const said = { ...step, [as]: own.flatMap(({ paid }) => paid) }
    return place === 0 ? { ...said, rest: { as, token: NATIVE } } : said
  })
}

function kindOf(delta: bigint, reduced: boolean): 'put' | 'principal' | 'fees' {
  if (delta > 0n) return 'put'
  return reduced ? 'principal' : 'fees'
}

function changesIn(logs: readonly ReceiptLog[], poolManager: EvmAddress, manager: EvmAddress): Change[] {
  const changes: Change[] = []
  for (const log of logs) {
    const change = log.address === poolManager ? changeOf(log, manager) : undefined
    if (change) changes.push(change)
    else changes.at(-1)?.paid.push(...paidBetween(log, poolManager))
  }
  return changes
}

function changeOf(log: ReceiptLog, manager: EvmAddress): Change | undefined {
  const tokenId = word(log, SALT)
  const delta = word(log, LIQUIDITY_DELTA)
  if (log.topics[0] !== MODIFY || addressTopic(log, 2) !== manager) return undefined
  if (tokenId === undefined || delta === undefined) return undefined
  return { tokenId, delta: BigInt.asIntN(256, delta), paid: [] }
}

function paidBetween(log: ReceiptLog, poolManager: EvmAddress): TokenAmount[] {
  return transfersOf(log).flatMap(({ token, tokenId, amountRaw, from, to }) =>
    tokenId === null && (from === poolManager || to === poolManager) ? [{ token, amountRaw }] : [],
  )
}

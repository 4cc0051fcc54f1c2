import { type ContractFunctionReturnType, maxUint256, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, TRANSFER, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, PositionKey, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { type HeldContract, type ProtocolAdapter, rowsByChain } from '../adapter.ts'
import { addressSchema, answerOf, discoverEach } from '../deployment.ts'
import chains from './chains.json' with { type: 'json' }
import { cometLens } from './comet-lens.bytecode.ts'

const rewardsAbi = parseAbi(['function rewardConfig(address comet) view returns (address token)'])

const cometAbi = parseAbi([
  'function baseToken() view returns (address)',
  'function numAssets() view returns (uint8)',
  'function getAssetInfo(uint8 i) view returns ((uint8 offset, address asset, address priceFeed, uint64 scale, uint64 borrowCollateralFactor, uint64 liquidateCollateralFactor, uint64 liquidationFactor, uint128 supplyCap) info)',
  'function userBasic(address wallet) view returns (int104 principal, uint64 trackingIndex, uint64 trackingAccrued, uint16 assetsIn, uint8 reserved)',
])

const market = z.strictObject({
  label: z.string().min(1),
  comet: addressSchema,
})

const deployment = z.strictObject({
  markets: z.array(market).min(1),
  rewards: addressSchema.optional(),
  bulkers: z.array(addressSchema).optional(),
})

type Deployment = z.infer<typeof deployment>

type Account = ContractFunctionReturnType<typeof cometLens.abi, 'nonpayable', 'accounts'>[0][number]

/** Health factor: collateral by liquidation factors ÷ debt; none if the market's feeds fail. */
export const compoundV3: ProtocolAdapter<Deployment> = {
  name: 'compound_v3',
  deployment,
  /** Source: compound-finance/comet at d5a30b0. Ronin is not in the catalog. */
  rows: rowsByChain({ key: 'compound_v3', name: 'Compound V3', siteUrl: 'https://app.compound.finance' }, chains),
  lenses: [cometLens],
  eachAlone: true,

  discover: ({ reader, deployment: { markets, rewards } }) => {
    const comets = markets.map(({ comet }) => comet)
    return discoverEach(reader, comets, async (address) => {
      const [base, alsoShown] = await Promise.all([
        reader.read({ address, abi: cometAbi, functionName: 'baseToken' }),
        alsoShownIn(reader, address, rewards),
      ])
      return { address, role: 'base', fungible: true, underlyings: [evmAddress(base)], alsoShown }
    })
  },

  async probe({ reader, wallet, protocolContract: { address } }) {
    const call = { address, abi: cometAbi, functionName: 'userBasic', args: [wallet] } as const
    const basic = await answerOf(reader, address, reader.tryRead(call))
    const [principal = 0n, , accrued = 0n, assetsIn = 0, reserved = 0] = basic ?? []
    return principal !== 0n || accrued > 0n || assetsIn > 0 || reserved > 0
  },

  async positions({ reader, wallet, deployment: { markets, rewards }, held, leftOut }) {
    const comets = held.map(({ address }) => address)
    const args = [wallet, rewards ?? NATIVE, comets] as const
    const [found, refused] = await reader.lens(cometLens, { functionName: 'accounts', args })
    const known = new Map(held.map((protocolContract) => [protocolContract.address, protocolContract]))
    for (const comet of refused) {
      leftOut(new Error(`the market ${comet} refused to be read`), known.get(evmAddress(comet)))
    }
    return found.flatMap((account) => {
      const comet = known.get(evmAddress(account.comet))
      const label = markets.find((market) => market.comet === comet?.address)?.label
      return comet ? [draftOf(account, comet, label ?? '')] : []
    })
  },

  async decompose({ protocolContract, amountRaw }) {
    return protocolContract.underlyings.map((token) => ({ token, amountRaw }))
  },

  history: compoundV3History,
}

async function alsoShownIn(reader: EvmReader, comet: EvmAddress, rewards?: EvmAddress): Promise<EvmAddress[]> {
  const config = { abi: rewardsAbi, functionName: 'rewardConfig', args: [comet] } as const
  const [count, reward] = await Promise.all([
    reader.read({ address: comet, abi: cometAbi, functionName: 'numAssets' }),
    rewards && reader.tryRead({ address: rewards, ...config }),
  ])
  const infoOf = (i: number) => reader.read({ address: comet, abi: cometAbi, functionName: 'getAssetInfo', args: [i] })
  const assets = await Promise.all(Array.from({ length: count }, (_, i) => infoOf(i)))
  const collaterals = assets.map(({ asset }) => evmAddress(asset))
  return reward && reward !== NATIVE ? [...collaterals, evmAddress(reward)] : collaterals
}

function draftOf(
  { supplied, borrowed, collaterals, reward, health }: Account,
  { address, underlyings, balanceRaw }: HeldContract,
  label: string,
): PositionDraft {
  const ofBase = (amountRaw: bigint): TokenAmount[] => underlyings.map((token) => ({ token, amountRaw }))
  return {
    kind: 'lending',
    label,
    pool: address,
    supplied: [...ofBase(supplied), ...collaterals.map(asTokenAmount)],
    borrowed: ofBase(borrowed),
    rewards: [asTokenAmount(reward)],
    receipts: balanceRaw > 0n ? [address] : [],
    ...(borrowed > 0n && health !== maxUint256 && { healthFactorRaw: health }),
  }
}

const asTokenAmount = ({ token, amount }: { token: string; amount: bigint }): TokenAmount => ({
  token: evmAddress(token),
  amountRaw: amount,
})

const SUPPLY = topicOf('Supply(address,address,uint256)')
const WITHDRAW = topicOf('Withdraw(address,address,uint256)')
const SUPPLY_COLLATERAL = topicOf('SupplyCollateral(address,address,address,uint256)')
const WITHDRAW_COLLATERAL = topicOf('WithdrawCollateral(address,address,address,uint256)')
const ABSORB_DEBT = topicOf('AbsorbDebt(address,address,uint256,uint256)')
const REWARD_CLAIMED = topicOf('RewardClaimed(address,address,address,uint256)')

/** Logged units may be this much below the amount: principal is rounded twice. */
const ROUNDING = 3n

/** Crossing zero, the part that is not minted repays a debt, and the part that is not burnt is borrowed. */
function compoundV3History({ rewards, bulkers = [] }: Deployment): ProtocolHistory {
  return {
    purposes: { base: 'lend' },
    rebasing: ['base'],
    contracts: bulkers,
    rewarders: rewards ? [rewards] : [],
    step,
  }
}

type Reading = (log: ReceiptLog, wallet: EvmAddress, context: LogContext) => Step | undefined

const naming =
  (place: number, read: Reading): Reading =>
  (log, wallet, context) =>
    addressTopic(log, place) === wallet ? read(log, wallet, context) : undefined

const READINGS: ReadonlyMap<string, Reading> = new Map([
  [SUPPLY, naming(2, (log, wallet, { after }) => debtStep('repay', log, passedIn(after, log, NATIVE, wallet)))],
  [WITHDRAW, naming(1, (log, wallet, { after }) => debtStep('borrow', log, passedIn(after, log, wallet, NATIVE)))],
  [SUPPLY_COLLATERAL, naming(2, (log) => collateralStep('put', log))],
  [WITHDRAW_COLLATERAL, naming(1, (log) => collateralStep('take', log))],
  [ABSORB_DEBT, naming(2, liquidated)],
  [REWARD_CLAIMED, naming(2, claimed)],
  [TRANSFER, passed],
])

const step: Reading = (log, wallet, context) => READINGS.get(log.topics[0] ?? '')?.(log, wallet, context)

const accountAt = ({ address }: ReceiptLog): PositionKey => ({ contract: address, id: 0n })

/** `unitsRaw`: minted or burnt. */
function debtStep(kind: 'borrow' | 'repay', log: ReceiptLog, unitsRaw: bigint): Step | undefined {
  const amountRaw = (word(log, 0) ?? 0n) - unitsRaw
  return amountRaw > ROUNDING ? { kind, amountRaw, position: accountAt(log) } : undefined
}

function collateralStep(kind: 'put' | 'take', log: ReceiptLog): Step | undefined {
  const token = addressTopic(log, 3)
  const amountRaw = word(log, 0)
  if (token === undefined || amountRaw === undefined) return undefined
  return { kind, purpose: 'deposit', token, amountRaw, position: accountAt(log) }
}

/** All collateral is taken; its value beyond the debt is supplied. */
function liquidated(log: ReceiptLog, wallet: EvmAddress, { after }: LogContext): Step {
  const amountRaw = passedIn(after, log, NATIVE, wallet)
  const rest = amountRaw > 0n ? { rest: { token: log.address, amountRaw } } : {}
  return { kind: 'liquidated', position: accountAt(log), ...rest }
}

function claimed(log: ReceiptLog): Step | undefined {
  const token = addressTopic(log, 3)
  const amountRaw = word(log, 0)
  return token === undefined || amountRaw === undefined ? undefined : { kind: 'claim', token, amountRaw }
}

function passed(log: ReceiptLog, wallet: EvmAddress, { before, after }: LogContext): Step | undefined {
  const [transfer] = transfersOf(log)
  if (!transfer || isPartOf(before, log, wallet)) return undefined
  const { from, to, amountRaw } = transfer
  const facts = { token: log.address, amountRaw }
  if (from === wallet && to === NATIVE) return { kind: 'send', ...facts, other: otherEnd(after, log)?.to }
  if (to === wallet && from === NATIVE) return { kind: 'receive', ...facts, other: otherEnd(before, log)?.from }
  return undefined
}

function isPartOf(log: ReceiptLog | undefined, { address }: ReceiptLog, wallet: EvmAddress): boolean {
  if (log?.address !== address) return false
  const [topic] = log.topics
  if (topic === WITHDRAW) return addressTopic(log, 1) === wallet
  return (topic === SUPPLY || topic === ABSORB_DEBT) && addressTopic(log, 2) === wallet
}

function otherEnd(log: ReceiptLog | undefined, { address }: ReceiptLog) {
  const [transfer] = log?.address === address ? transfersOf(log) : []
  if (!transfer) return undefined
  const { from, to } = transfer
  return { from: from === NATIVE ? undefined : from, to: to === NATIVE ? undefined : to }
}

/** Minted from `NATIVE`, or burnt to it. */
function passedIn(after: ReceiptLog | undefined, { address }: ReceiptLog, from: EvmAddress, to: EvmAddress): bigint {
  const [transfer] = after?.address === address ? transfersOf(after) : []
  return transfer?.from === from && transfer.to === to ? transfer.amountRaw : 0n
}

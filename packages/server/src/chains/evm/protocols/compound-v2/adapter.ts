import { maxUint256, parseAbi, toFunctionSelector } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { inPages } from '../../../../lib/pages.ts'
import { addressWord, topicOf, word } from '../../decode/log-words.ts'
import type { DebtStep, ProtocolHistory } from '../../decode/protocol-history.ts'
import type { KeyLogs } from '../../logs/logs.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { type PositionScope, type ProtocolAdapter, type ProtocolContract, rowsOfForks } from '../adapter.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import { compoundV2Lens } from './compound-v2-lens.bytecode.ts'
import forks from './forks.json' with { type: 'json' }
import { marketRewardsLens } from './market-rewards-lens.bytecode.ts'

const deployment = z.strictObject({
  comptroller: addressSchema,
  rewards: z
    .discriminatedUnion('scheme', [
      z.strictObject({ scheme: z.enum(['comp', 'venus']), token: addressSchema }),
      z.strictObject({ scheme: z.literal('moonwell'), distributor: addressSchema }),
    ])
    .optional(),
  /** Venus' stablecoin, minted against collateral: a debt of its own. */
  vai: addressSchema.optional(),
})

type Deployment = z.infer<typeof deployment>

const comptrollerAbi = parseAbi(['function getAllMarkets() view returns (address[])'])

/** `exchangeRateCurrent` changes state; it is run as a call. */
const marketAbi = parseAbi([
  'function underlying() view returns (address)',
  'function exchangeRateCurrent() returns (uint256)',
])

const distributorAbi = parseAbi([
  'struct MarketConfig { address owner; address emissionToken; uint256 endTime; uint224 supplyGlobalIndex; uint32 supplyGlobalTimestamp; uint224 borrowGlobalIndex; uint32 borrowGlobalTimestamp; uint256 supplyEmissionsPerSec; uint256 borrowEmissionsPerSec; }',
  'function getAllMarketConfigs(address market) view returns (MarketConfig[] configs)',
])

type OwnRewards = Extract<Deployment['rewards'], { token: EvmAddress }>

/** Exchange rates have 18 decimals plus the difference of the tokens' own. */
const RATE_UNIT = 10n ** 18n

const CALLS: Record<OwnRewards['scheme'], { claim: `0x${string}`; accrued: `0x${string}` }> = {
  comp: {
    claim: toFunctionSelector('function claimComp(address,address[])'),
    accrued: toFunctionSelector('function compAccrued(address)'),
  },
  venus: {
    claim: toFunctionSelector('function claimVenus(address,address[])'),
    accrued: toFunctionSelector('function venusAccrued(address)'),
  },
}
const NO_REWARDS = { token: NATIVE, claim: '0x00000000', accrued: '0x00000000' } as const

/** A debt leaves no token, so every wallet is read. Health factor: (liquidity + debt) ÷ debt, by the comptroller. */
export const compoundV2: ProtocolAdapter<Deployment> = {
  name: 'compound_v2',
  deployment,
  /**
   * Sources: DefiLlama's Compound forks, the protocols' documents, moonwell-contracts-v2 (git 45866f4c). Not read:
   * rewards of Venus off BNB Chain (own distributors) and of BENQI (several tokens).
   */
  rows: rowsOfForks(forks),
  lenses: [compoundV2Lens, marketRewardsLens],
  readsEveryWallet: true,

  async discover({ reader, deployment: { comptroller, rewards } }) {
    if (!(await isDeployed(reader, comptroller))) return []
    const markets = await reader.read({ address: comptroller, abi: comptrollerAbi, functionName: 'getAllMarkets' })
    return Promise.all(
      markets.map(async (market): Promise<ProtocolContract> => {
        const address = evmAddress(market)
        // The market of the native coin has no `underlying`.
        const [underlying, alsoShown] = await Promise.all([
          reader.tryRead({ address, abi: marketAbi, functionName: 'underlying' }),
          rewards?.scheme === 'moonwell' ? rewardTokens(reader, rewards.distributor, address) : [],
        ])
        const underlyings = [evmAddress(underlying ?? NATIVE)]
        return { address, role: 'market', fungible: true, underlyings, ...(alsoShown.length > 0 && { alsoShown }) }
      }),
    )
  },

  keyLogs: ({ rewards }) => (rewards?.scheme === 'moonwell' ? accruals(rewards.distributor) : []),

  async positions(scope) {
    const { reader, wallet, protocolContracts, held, keys } = scope
    const { comptroller, rewards, vai } = scope.deployment
    if (protocolContracts.length === 0) return []
    const receipts = held.map(({ address }) => address)
    const own = rewards?.scheme === 'moonwell' ? undefined : rewards
    const named = new Set([...held.map(({ address }) => BigInt(address)), ...keys.map(({ key }) => key)])
    const rewarded = protocolContracts.map(({ address }) => address).filter((market) => named.has(BigInt(market)))
    const [[balances, vaiDebt, priced, health, reward], distributed] = await Promise.all([
      reader.lens(compoundV2Lens, {
        functionName: 'account',
        args: [
          comptroller,
          wallet,
          receipts,
          vai !== undefined,
          own ? { token: own.token, ...CALLS[own.scheme] } : NO_REWARDS,
        ],
      }),
      rewards?.scheme === 'moonwell' ? readMarketRewards(scope, rewards.distributor, rewarded) : [],
    ])
    const underlyings = new Map(protocolContracts.map(({ address, underlyings: [token] }) => [address, token]))
    const amount = (market: string, amountRaw: bigint): TokenAmount => {
      const token = underlyings.get(evmAddress(market))
      if (token === undefined && amountRaw > 0n) throw new Error(`market ${market} is not among the row's contracts`)
      return { token: token ?? NATIVE, amountRaw }
    }
    const minted: TokenAmount[] = vai ? [{ token: vai, amountRaw: vaiDebt }] : []
    return [
      {
        kind: 'lending',
        label: 'Core pool',
        pool: comptroller,
        supplied: balances.map(({ market, supplied }) => amount(market, supplied)),
        borrowed: [...balances.map(({ market, borrowed }) => amount(market, borrowed)), ...minted],
        rewards: own ? [{ token: own.token, amountRaw: reward }] : distributed,
        receipts,
        ...(priced && health !== maxUint256 && { healthFactorRaw: health }),
      },
    ]
  },

  async decompose({ reader, protocolContract: { address, underlyings }, amountRaw }) {
    const rate = await reader.read({ address, abi: marketAbi, functionName: 'exchangeRateCurrent' })
    return underlyings.map((token) => ({ token, amountRaw: (amountRaw * rate) / RATE_UNIT }))
  },

  history: compoundV2History,
}

/** Markets per lens call: one takes some 100,000 gas. */
const PAGE = 16

/** Market, wallet, token, accrued amount. */
const ACCRUALS = ['DisbursedSupplierRewards', 'DisbursedBorrowerRewards'].map((name) =>
  topicOf(`${name}(address,address,address,uint256)`),
)

/** Includes markets that the wallet has left. The position ID is the market. */
const accruals = (contract: EvmAddress): KeyLogs[] =>
  ACCRUALS.map((topic) => ({ contract, topic, walletAt: 2, keyAt: 1 }))

async function readMarketRewards(
  { reader, wallet, leftOut }: PositionScope<Deployment>,
  distributor: EvmAddress,
  markets: readonly EvmAddress[],
): Promise<TokenAmount[]> {
  const pages = await inPages(markets, PAGE, (page) =>
    reader.lens(marketRewardsLens, { functionName: 'outstanding', args: [distributor, wallet, page] }),
  )
  for (const market of pages.flatMap(([, refused]) => refused)) {
    leftOut(new Error(`rewards of market ${market} could not be read`))
  }
  const found = pages.flatMap(([rewards]) => rewards)
  return [...Map.groupBy(found, ({ token }) => evmAddress(token))].map(([token, own]) => ({
    token,
    amountRaw: own.reduce((sum, { amount }) => sum + amount, 0n),
  }))
}

async function rewardTokens(reader: EvmReader, address: EvmAddress, market: EvmAddress): Promise<EvmAddress[]> {
  const read = { address, abi: distributorAbi, functionName: 'getAllMarketConfigs', args: [market] } as const
  const configs = (await reader.tryRead(read)) ?? []
  return [...new Set(configs.map(({ emissionToken }) => evmAddress(emissionToken)))]
}

const BORROW = topicOf('Borrow(address,uint256,uint256,uint256)')
const REPAY_BORROW = topicOf('RepayBorrow(address,address,uint256,uint256,uint256)')
const LIQUIDATE_BORROW = topicOf('LiquidateBorrow(address,address,uint256,address,uint256)')

/** The market alone logs debts, without topics. */
function compoundV2History({ comptroller, rewards }: Deployment): ProtocolHistory {
  const payers = rewards?.scheme === 'moonwell' ? [comptroller, rewards.distributor] : [comptroller]
  return { purposes: { market: 'lend' }, rewarders: payers, step }
}

function step(log: ReceiptLog, wallet: EvmAddress): DebtStep | undefined {
  const [topic] = log.topics
  if (topic === LIQUIDATE_BORROW) {
    const collateral = addressWord(log, 3)
    return addressWord(log, 1) === wallet && collateral ? { kind: 'liquidate', collateral } : undefined
  }
  const [kind, place] = topic === BORROW ? (['borrow', 0] as const) : (['repay', 1] as const)
  if ((topic !== BORROW && topic !== REPAY_BORROW) || addressWord(log, place) !== wallet) return undefined
  const amountRaw = word(log, place + 1)
  return amountRaw === undefined ? undefined : { kind, amountRaw }
}

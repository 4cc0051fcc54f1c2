import { parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { type ProtocolAdapter, type ProtocolContract, rowsOfForks } from '../adapter.ts'
import { addressSchema, answerOf, deployedOf, eachAlone } from '../deployment.ts'
import forks from './forks.json' with { type: 'json' }

/** Worth of one whole token. */
const RATES = ['getRate', 'exchangeRate', 'getExchangeRate', 'rate'] as const
/** Worth of an amount. */
const CONVERSIONS = [
  'getEthValue',
  'getPooledAvaxByShares',
  'convertToAssets',
  'mETHToETH',
  'convertSnBnbToBnb',
] as const

const token = z.strictObject({
  token: addressSchema,
  label: z.string().min(1),
  /** Has as many decimals as the token; defaults to the native coin. */
  underlying: addressSchema.optional(),
  /** `ratio` (Ankr): tokens per unit of the underlying. */
  view: z.enum([...RATES, ...CONVERSIONS, 'ratio']),
  provider: addressSchema.optional(),
  /** Liquid vaults and their rates have those of the vault's base. */
  decimals: z.int().min(0).max(36).default(18),
  /** Rejects rates above this or below its inverse. */
  most: z.int().min(2).default(4),
  /** Priced by its own feed, so that a lost peg shows. */
  market: z.boolean().default(false),
  kind: z.enum(['staked', 'yield']).default('staked'),
})

const deployment = z.strictObject({ tokens: z.array(token).min(1) })

type Deployment = z.infer<typeof deployment>
type RatedToken = z.infer<typeof token>

const isConversion = (view: RatedToken['view']): view is (typeof CONVERSIONS)[number] =>
  CONVERSIONS.some((conversion) => conversion === view)

const rateAbi = parseAbi([
  'function getRate() view returns (uint256)',
  'function exchangeRate() view returns (uint256)',
  'function getExchangeRate() view returns (uint256)',
  'function rate() view returns (uint256)',
  'function ratio() view returns (uint256)',
  'function getEthValue(uint256 amount) view returns (uint256)',
  'function getPooledAvaxByShares(uint256 amount) view returns (uint256)',
  'function convertToAssets(uint256 amount) view returns (uint256)',
  'function mETHToETH(uint256 amount) view returns (uint256)',
  'function convertSnBnbToBnb(uint256 amount) view returns (uint256)',
])

/** A rate refused or out of bounds leaves tokens to other price sources. */
export const rateTokens: ProtocolAdapter<Deployment> = {
  name: 'rate_tokens',
  deployment,
  /**
   * Sources: Balancer's reviewed rate providers; DefiLlama (Ankr, ether.fi, Lista, Binance); Spark's oracles (sUSDS off
   * Ethereum); the protocols' interfaces.
   */
  rows: rowsOfForks(forks),
  eachAlone: true,

  discover: ({ reader, deployment: { tokens } }) => deployedOf(reader, tokens.map(protocolContractOf)),

  positions: eachAlone(async ({ reader, deployment }, { address, balanceRaw }) => {
    const row = rowOf(deployment, address)
    const { kind, label, market } = row
    const draft = { kind, label, pool: address, receipts: [address] }
    if (market) return { ...draft, supplied: [{ token: address, amountRaw: balanceRaw }] }
    const reported = await answerOf(reader, providerOf(row), ask(reader, row, balanceRaw))
    if (reported === undefined) return []
    const worth = worthOf(row, balanceRaw, reported)
    if (!worth) throw new Error(`the rate of ${label} is not believable: ${reported}`)
    return { ...draft, supplied: [worth] }
  }),

  async decompose({ reader, deployment, protocolContract, amountRaw }) {
    const row = rowOf(deployment, protocolContract.address)
    const reported = row.market ? undefined : await ask(reader, row, amountRaw)
    const worth = reported === undefined ? undefined : worthOf(row, amountRaw, reported)
    return worth && [worth]
  },

  history: () => ({ purposes: { staked: 'stake', yield: 'deposit' }, nativePurposes: { staked: 'stake' } }),
}

function protocolContractOf({ token, kind, underlying = NATIVE, market }: RatedToken): ProtocolContract {
  return { address: token, role: kind, fungible: true, underlyings: market ? [] : [underlying] }
}

function rowOf({ tokens }: Deployment, address: EvmAddress): RatedToken {
  const row = tokens.find(({ token }) => token === address)
  if (!row) throw new Error(`no row states a rate for ${address}`)
  return row
}

const providerOf = ({ token, provider = token }: RatedToken): EvmAddress => provider

function ask(reader: EvmReader, row: RatedToken, amountRaw: bigint): Promise<bigint | undefined> {
  const at = { address: providerOf(row), abi: rateAbi } as const
  const { view } = row
  return isConversion(view)
    ? reader.tryRead({ ...at, functionName: view, args: [amountRaw] })
    : reader.tryRead({ ...at, functionName: view })
}

/** Rounds down. Undefined if out of bounds. */
function worthOf(row: RatedToken, amountRaw: bigint, reported: bigint): TokenAmount | undefined {
  const { underlying: token = NATIVE, view, decimals, most } = row
  const unit = 10n ** BigInt(decimals)
  if (isConversion(view)) return isWithin(most, reported, amountRaw) ? { token, amountRaw: reported } : undefined
  if (!isWithin(most, reported, unit)) return undefined
  return { token, amountRaw: view === 'ratio' ? (amountRaw * unit) / reported : (amountRaw * reported) / unit }
}

function isWithin(most: number, figure: bigint, base: bigint): boolean {
  const factor = BigInt(most)
  return (figure + 1n) * factor >= base && figure <= base * factor
}

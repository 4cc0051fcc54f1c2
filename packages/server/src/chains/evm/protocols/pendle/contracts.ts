import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { heldBy } from '../../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { inPages } from '../../../../lib/pages.ts'
import type { At, ProtocolContract } from '../adapter.ts'
import { addressSchema, deployedOf } from '../deployment.ts'
import { pendleLens } from './pendle-lens.bytecode.ts'

export const deployment = z.strictObject({
  /** Answer `isPT` and `isYT`. */
  yieldFactories: z.array(addressSchema).min(1),
  /** Answer `isValidMarket`. */
  marketFactories: z.array(addressSchema).min(1),
  oracle: addressSchema,
  routers: z.array(addressSchema).default([]),
  pendle: addressSchema,
  /** vePENDLE. */
  lock: addressSchema.optional(),
  /** sPENDLE. */
  stake: addressSchema.optional(),
})

export type Deployment = z.infer<typeof deployment>

/** A dozen factories, each a storage read; an SY may burn its gas. */
const PAGE = 60

type Part = 'market' | 'pt' | 'yt' | 'sy'

type Facts = Record<Part | 'yieldToken', EvmAddress> & { expiry: number }

export const listKeepers = ({ reader, deployment: { pendle, lock, stake } }: At<Deployment>) =>
  deployedOf(reader, [
    ...(lock ? [{ address: lock, role: 'lock', fungible: false, underlyings: [pendle] }] : []),
    ...(stake ? [{ address: stake, role: 'stake', fungible: true, underlyings: [pendle] }] : []),
  ])

/** Adds related tokens: LP shows PTs, a PT redeems SY. */
export async function madeByFactories(at: At<Deployment>, tokens: readonly EvmAddress[]): Promise<ProtocolContract[]> {
  const { yieldFactories, marketFactories } = at.deployment
  const pages = await inPages(tokens, PAGE, async (page) => {
    const args = [yieldFactories, marketFactories, page] as const
    const found = await at.reader.lens(pendleLens, { functionName: 'recognise', args })
    return page.flatMap((address, i) => {
      const one = found[i]
      return one && one.kind > 0 ? [factsOf({ ...one, market: one.kind === 1 ? address : NATIVE })] : []
    })
  })
  const found = pages.flat()
  const markets = found.filter(({ market }) => market !== NATIVE)
  const marketOf = new Map(markets.map(({ pt, market }) => [pt, market]))
  const parts = found.flatMap((facts) => {
    const withMarket = { ...facts, market: marketOf.get(facts.pt) ?? NATIVE }
    return (['sy', 'pt', 'yt'] as const).map((role) => protocolContractOf(role, withMarket))
  })
  const all = [...parts, ...markets.map((facts) => protocolContractOf('market', facts))]
  return [...new Map(all.map((one) => [one.address, one])).values()]
}

type Found = Record<Part | 'yieldToken', string> & { expiry: bigint | string }

const factsOf = ({ sy, pt, yt, market, yieldToken, expiry }: Found): Facts => ({
  sy: evmAddress(sy),
  pt: evmAddress(pt),
  yt: evmAddress(yt),
  market: evmAddress(market),
  yieldToken: evmAddress(yieldToken),
  expiry: Number(expiry),
})

function protocolContractOf(role: Part, facts: Facts): ProtocolContract {
  const { sy, pt, yt, market, yieldToken, expiry } = facts
  const behind = yieldToken === NATIVE ? [] : [yieldToken]
  return {
    address: facts[role],
    role,
    fungible: true,
    underlyings: role === 'market' ? [...behind, pt] : behind,
    data: { sy, pt, yt, yieldToken, expiry: String(expiry), ...(market !== NATIVE && { market }) },
  }
}

export function storedFacts({ address, data = {} }: ProtocolContract): Facts {
  const at = (name: string) => {
    const value = data[name]
    if (value === undefined) throw new Error(`contract ${address} is stored without its ${name}`)
    return value
  }
  const [sy, pt, yt, yieldToken] = [at('sy'), at('pt'), at('yt'), at('yieldToken')]
  return factsOf({ sy, pt, yt, market: data['market'] ?? NATIVE, yieldToken, expiry: at('expiry') })
}

type Worth = { sy: bigint; paid: bigint; kept: bigint; isBacked: boolean }

/** An SY that does not hold what its shares claim has only a market price. */
export function amountOf(facts: Facts, worth: Worth): TokenAmount {
  const shares = { token: facts.sy, amountRaw: worth.sy }
  return worth.isBacked ? paidBy(facts, worth, shares) : shares
}

const paidBy = ({ sy, yieldToken }: Facts, { paid, kept }: Worth, unpaid?: TokenAmount): TokenAmount => ({
  token: yieldToken,
  amountRaw: paid,
  backing: { ways: [[heldBy(yieldToken, sy, kept)]], ...(unpaid && { unpaid }) },
})

export const lensFacts = ({ deployment: { oracle } }: At<Deployment>, protocolContract: ProtocolContract) => ({
  ...storedFacts(protocolContract),
  oracle,
})

export async function liquidityOf(at: At<Deployment>, market: ProtocolContract, lp: bigint): Promise<TokenAmount[]> {
  const facts = lensFacts(at, market)
  const [worth, pt] = await at.reader.lens(pendleLens, { functionName: 'liquidity', args: [facts, lp] })
  return [amountOf(facts, worth), { token: facts.pt, amountRaw: pt }]
}

/** Undefined without a market, or if the SY is not backed. */
export async function bondOf(
  at: At<Deployment>,
  bond: ProtocolContract,
  amount: bigint,
): Promise<TokenAmount[] | undefined> {
  const facts = lensFacts(at, bond)
  const functionName = bond.role === 'pt' ? 'principal' : 'yield'
  const [isKnown, worth] = await at.reader.lens(pendleLens, { functionName, args: [facts, amount] })
  return isKnown && worth.isBacked ? [paidBy(facts, worth)] : undefined
}

export async function redeemedOf(
  at: At<Deployment>,
  protocolContract: ProtocolContract,
  amount: bigint,
): Promise<TokenAmount> {
  const facts = lensFacts(at, protocolContract)
  if (protocolContract.role === 'sy') {
    return amountOf(facts, await at.reader.lens(pendleLens, { functionName: 'shares', args: [facts, amount] }))
  }
  const [, worth] = await at.reader.lens(pendleLens, { functionName: 'principal', args: [facts, amount] })
  return amountOf(facts, worth)
}

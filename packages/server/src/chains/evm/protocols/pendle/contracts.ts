import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { heldBy } from '../../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { ProtocolContract } from '../adapter.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
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

type At = { reader: EvmReader; deployment: Deployment }

type Facts = {
  sy: EvmAddress
  pt: EvmAddress
  yt: EvmAddress
  market: EvmAddress
  yieldToken: EvmAddress
  expiry: number
}

export async function listKeepers({ reader, deployment: { pendle, lock, stake } }: At): Promise<ProtocolContract[]> {
  const keepers = [
    ...(lock ? [{ address: lock, role: 'lock', fungible: false, underlyings: [pendle] }] : []),
    ...(stake ? [{ address: stake, role: 'stake', fungible: true, underlyings: [pendle] }] : []),
  ]
  const standing = await Promise.all(keepers.map(({ address }) => isDeployed(reader, address)))
  return keepers.filter((_, i) => standing[i])
}

/** Adds related tokens: LP shows PTs, a PT redeems SY. */
export async function madeByFactories(at: At, tokens: readonly EvmAddress[]): Promise<ProtocolContract[]> {
  const { yieldFactories, marketFactories } = at.deployment
  const pages = await Promise.all(
    pagesOf(tokens, PAGE).map(async (page) => {
      const args = [yieldFactories, marketFactories, page] as const
      const found = await at.reader.lens(pendleLens, { functionName: 'recognise', args })
      return page.flatMap((address, i) => {
        const one = found[i]
        return one && one.kind > 0 ? [{ ...factsOf(one), market: one.kind === 1 ? address : NATIVE }] : []
      })
    }),
  )
  const found = pages.flat()
  const marketOf = new Map(found.flatMap(({ pt, market }) => (market === NATIVE ? [] : [[pt, market] as const])))
  const protocolContracts = found.flatMap((facts) =>
    withCompany({ ...facts, market: marketOf.get(facts.pt) ?? NATIVE }),
  )
  const markets = found.flatMap((facts) => (facts.market === NATIVE ? [] : [protocolContractOf('market', facts)]))
  return [...new Map([...protocolContracts, ...markets].map((one) => [one.address, one])).values()]
}

const withCompany = (facts: Facts): ProtocolContract[] => [
  protocolContractOf('sy', facts),
  protocolContractOf('pt', facts),
  protocolContractOf('yt', facts),
]

type Found = { sy: string; pt: string; yt: string; yieldToken: string; expiry: bigint }

const factsOf = ({ sy, pt, yt, yieldToken, expiry }: Found) => ({
  sy: evmAddress(sy),
  pt: evmAddress(pt),
  yt: evmAddress(yt),
  yieldToken: evmAddress(yieldToken),
  expiry: Number(expiry),
})

function protocolContractOf(role: 'market' | 'pt' | 'yt' | 'sy', facts: Facts): ProtocolContract {
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
  return {
    sy: evmAddress(at('sy')),
    pt: evmAddress(at('pt')),
    yt: evmAddress(at('yt')),
    market: evmAddress(data['market'] ?? NATIVE),
    yieldToken: evmAddress(at('yieldToken')),
    expiry: Number(at('expiry')),
  }
}

type Worth = { sy: bigint; paid: bigint; kept: bigint; isBacked: boolean }
type Kept = { sy: EvmAddress; yieldToken: EvmAddress }

/** An SY that does not hold what its shares claim has only a market price. */
export function amountOf(facts: Kept, worth: Worth): TokenAmount {
  const shares = { token: facts.sy, amountRaw: worth.sy }
  return worth.isBacked ? paidBy(facts, worth, shares) : shares
}

const paidBy = ({ sy, yieldToken }: Kept, { paid, kept }: Worth, unpaid?: TokenAmount): TokenAmount => ({
  token: yieldToken,
  amountRaw: paid,
  backing: { ways: [[heldBy(yieldToken, sy, kept)]], ...(unpaid && { unpaid }) },
})

export const lensFacts = ({ deployment: { oracle } }: At, protocolContract: ProtocolContract) => ({
  ...storedFacts(protocolContract),
  oracle,
})

export async function liquidityOf(at: At, market: ProtocolContract, lp: bigint): Promise<TokenAmount[]> {
  const facts = lensFacts(at, market)
  const [worth, pt] = await at.reader.lens(pendleLens, { functionName: 'liquidity', args: [facts, lp] })
  return [amountOf(facts, worth), { token: facts.pt, amountRaw: pt }]
}

/** Undefined without a market, or if the SY is not backed. */
export async function bondOf(at: At, bond: ProtocolContract, amount: bigint): Promise<TokenAmount[] | undefined> {
  const facts = lensFacts(at, bond)
  const functionName = bond.role === 'pt' ? 'principal' : 'yield'
  const [isKnown, worth] = await at.reader.lens(pendleLens, { functionName, args: [facts, amount] })
  return isKnown && worth.isBacked ? [paidBy(facts, worth)] : undefined
}

export async function redeemedOf(at: At, protocolContract: ProtocolContract, amount: bigint): Promise<TokenAmount> {
  const facts = lensFacts(at, protocolContract)
  if (protocolContract.role === 'sy') {
    return amountOf(facts, await at.reader.lens(pendleLens, { functionName: 'shares', args: [facts, amount] }))
  }
  const [, worth] = await at.reader.lens(pendleLens, { functionName: 'principal', args: [facts, amount] })
  return amountOf(facts, worth)
}

import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { Instrument } from '../family.ts'
import type { Deployment } from './deployment.ts'
import { storedFacts } from './instruments.ts'
import { pendleLens } from './pendle-lens.ts'

type At = { reader: EvmReader; deployment: Deployment }
type Worth = { sy: bigint; paid: bigint; isBacked: boolean }

/** An SY that does not hold what its shares claim stays itself, which nothing but a market prices. */
export const amountOf = (facts: { sy: EvmAddress; yieldToken: EvmAddress }, { sy, paid, isBacked }: Worth) =>
  isBacked ? { token: facts.yieldToken, amountRaw: paid } : { token: facts.sy, amountRaw: sy }

export const lensFacts = ({ deployment: { oracle } }: At, instrument: Instrument) => ({
  ...storedFacts(instrument),
  oracle,
})

/** What burning LP pays: what the SY redeems, and PTs. */
export async function liquidityOf(at: At, market: Instrument, lp: bigint): Promise<TokenAmount[]> {
  const facts = lensFacts(at, market)
  const [worth, pt] = await at.reader.lens(pendleLens, { functionName: 'liquidity', args: [facts, lp] })
  return [amountOf(facts, worth), { token: facts.pt, amountRaw: pt }]
}

/** What PTs or YTs are worth. Undefined where no market of theirs is known, or where their SY is not backed. */
export async function bondOf(at: At, bond: Instrument, amount: bigint): Promise<TokenAmount[] | undefined> {
  const facts = lensFacts(at, bond)
  const functionName = bond.role === 'pt' ? 'principal' : 'yield'
  const [isKnown, worth] = await at.reader.lens(pendleLens, { functionName, args: [facts, amount] })
  return isKnown && worth.isBacked ? [{ token: facts.yieldToken, amountRaw: worth.paid }] : undefined
}

/** What an expired PT redeems, or shares of an SY. */
export async function redeemedOf(at: At, instrument: Instrument, amount: bigint): Promise<TokenAmount> {
  const facts = lensFacts(at, instrument)
  if (instrument.role === 'sy') {
    return amountOf(facts, await at.reader.lens(pendleLens, { functionName: 'shares', args: [facts, amount] }))
  }
  const [, worth] = await at.reader.lens(pendleLens, { functionName: 'principal', args: [facts, amount] })
  return amountOf(facts, worth)
}

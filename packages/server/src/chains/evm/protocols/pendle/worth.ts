import type { EvmAddress } from '../../../../domain/evm-address.ts'
import { heldBy } from '../../../../domain/liquidity.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { ProtocolContract } from '../adapter.ts'
import { storedFacts } from './contracts.ts'
import type { Deployment } from './deployment.ts'
import { pendleLens } from './pendle-lens.bytecode.ts'

type At = { reader: EvmReader; deployment: Deployment }
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

import { type Hex, maxUint256, pad, toHex } from 'viem'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { Limit } from '../../../../domain/liquidity.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { LeftOut, WalletKey } from '../family.ts'
import { marketLens } from './market-lens.bytecode.ts'

/** Markets of one lens call: a market in which the wallet owes something may use two million of its gas. */
const PAGE = 20

/** What the lens says of a wallet in one market. */
type Account = {
  id: Hex
  loanToken: string
  collateralToken: string
  supplied: bigint
  liquidity: bigint
  borrowed: bigint
  collateral: bigint
  health: bigint
}

/** What of the market a contract can take out, or all that is lent to no one where the contract is Morpho Blue. */
export const marketLimit = (contract: EvmAddress, market: Hex, freeRaw: bigint): Limit => ({
  id: `${contract} ${market}`,
  freeRaw,
})

type Scope = { reader: EvmReader; blue: EvmAddress; wallet: EvmAddress; leftOut: LeftOut }

/** The wallet's positions in the markets that its keys name; each market fails alone. */
export async function readMarkets(scope: Scope, keys: readonly WalletKey[]): Promise<PositionDraft[]> {
  const { reader, blue, wallet, leftOut } = scope
  const ids = keys.map(({ key }) => pad(toHex(key), { size: 32 }))
  const answers = await Promise.all(
    pagesOf(ids, PAGE).map((page) => reader.lens(marketLens, { functionName: 'accounts', args: [blue, wallet, page] })),
  )
  return answers.flatMap(([found, refused]) => {
    for (const id of refused) leftOut(new Error(`market ${id} could not be read`))
    return found.map((account) => draftOf(scope, account))
  })
}

/**
 * A supply counts as far as the market could pay it now, together with what vaults of the wallet have there: anyone may make
 * a market whose oracle lets them borrow all that they supplied in the wallet's name.
 */
function draftOf({ blue }: Scope, account: Account): PositionDraft {
  const { id, supplied, liquidity, borrowed, health } = account
  return {
    kind: 'lending',
    label: 'Market',
    pool: blue,
    tokenId: BigInt(id),
    supplied: [
      {
        ...amountOf(account.loanToken, supplied),
        backing: { ways: [[marketLimit(blue, id, liquidity)]], unpaid: 'reported' },
      },
      amountOf(account.collateralToken, account.collateral),
    ],
    borrowed: [amountOf(account.loanToken, borrowed)],
    ...(borrowed > 0n && health !== maxUint256 && { healthFactorRaw: health }),
  }
}

const amountOf = (token: string, amountRaw: bigint): TokenAmount => ({ token: evmAddress(token), amountRaw })

import { type Hex, maxUint256, pad, toHex } from 'viem'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { Limit } from '../../../../domain/liquidity.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { LeftOut, PositionId } from '../adapter.ts'
import { marketLens } from './market-lens.bytecode.ts'

/** A market with a debt may use two million gas. */
const PAGE = 20

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

/** `freeRaw`: what the contract can take out; for Morpho Blue, all cash. */
export const marketLimit = (contract: EvmAddress, market: Hex, freeRaw: bigint): Limit => ({
  id: `${contract} ${market}`,
  freeRaw,
})

type Scope = { reader: EvmReader; blue: EvmAddress; wallet: EvmAddress; leftOut: LeftOut }

export async function readMarkets(scope: Scope, keys: readonly PositionId[]): Promise<PositionDraft[]> {
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

/** Anyone may create a market whose oracle lets them borrow all that they supplied for the wallet. */
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

import { type EvmAddress, evmAddress, NATIVE } from '../../domain/evm-address.ts'
import type { EvmReader, Scan } from '../../kinds/evm/reader/evm-reader.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Searched } from '../coverage/coverage.ts'
import type { Adjustment, BalanceStore } from './balance-store.ts'

/**
 * What a token is to the comparison. A rebasing token's balance grows without a movement. One that neither a list nor a
 * protocol names is `listed` false.
 */
export type TokenNature = { rebasing: boolean; debt: boolean; listed: boolean }

/**
 * Compares what a wallet's movements on a chain add up to with its balances at the block up to which they are stored. The
 * difference is kept as an adjustment: interest of a token that rebases, else a gap, so that the sum is the balance.
 */
export function createReconcile({
  store,
  openReader,
  natureOf,
}: {
  store: Pick<BalanceStore, 'sums' | 'settle'>
  openReader(chain: string, at: bigint): EvmReader
  natureOf(chain: string, tokens: readonly EvmAddress[]): Promise<(token: EvmAddress) => TokenNature>
}) {
  /** Tokens found to be other than the movements say; rejects with `UpstreamError` when the chain cannot be read. */
  return async function reconcile(of: Searched<EvmAddress>): Promise<readonly Adjustment[]> {
    const ledger = await store.sums(of)
    if (!ledger) return []
    const reader = openReader(of.chain, ledger.block)
    const tokens = [...ledger.sums.keys()].map(evmAddress).filter((token) => token !== NATIVE)
    const [scan, nature] = await Promise.all([reader.scan(of.wallet, tokens), natureOf(of.chain, tokens)])
    const header = await reader.header()
    if (header.number !== ledger.block) throw new UpstreamError('invalid', 'the balances are of another block')
    return store.settle(of, ledger.block, ({ sums }) =>
      tokens.concat(NATIVE).flatMap((token) => differenceOf(token, sums.get(token) ?? 0n, scan, nature(token))),
    )
  }
}

/** A token that does not say its balance says nothing where it is listed; a stranger's is worth nothing, whatever it logged. */
function differenceOf(
  token: EvmAddress,
  sum: bigint,
  scan: Scan,
  { rebasing, debt, listed }: TokenNature,
): Adjustment[] {
  const balance = balanceOf(scan, token) ?? (listed ? sum : 0n)
  if (balance === sum) return []
  return [{ token, amountRaw: balance - sum, debt, kind: rebasing ? 'interest' : 'gap' }]
}

/** Undefined: the token does not say. */
function balanceOf(scan: Scan, token: EvmAddress): bigint | undefined {
  if (token === NATIVE) return scan.nativeRaw
  return scan.failed.has(token) ? undefined : (scan.balances.get(token) ?? 0n)
}

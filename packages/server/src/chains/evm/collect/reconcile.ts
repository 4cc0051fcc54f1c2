import { type EvmAddress, evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Adjustment } from '../../histories.ts'
import type { Scan } from '../reader/evm-reader.ts'
import type { EvmContext } from './evm-context.ts'
import type { HistoryContext } from './wallet-history.ts'

/** `listed`: by a token list or a protocol. */
type TokenNature = { rebasing: boolean; debt: boolean; listed: boolean }

export async function tokenNatures({ reading, listed }: HistoryContext, chain: string, tokens: readonly EvmAddress[]) {
  const directory = await reading.wholeDirectoryOf(chain, tokens)
  return (token: EvmAddress): TokenNature => {
    const protocolContract = directory.protocolContractOf(token)?.protocolContract
    return {
      rebasing: directory.isRebasing(token),
      debt: protocolContract?.role === 'debt',
      listed: protocolContract !== undefined || listed.find(chain, token) !== undefined,
    }
  }
}

/**
 * Stores differences between movements and balances: interest of rebasing tokens, rounding of shares, otherwise a gap.
 * Rejects with `UpstreamError` if the chain cannot be read.
 */
export async function reconcile(
  { stores: { sums }, openReader }: EvmContext,
  naturesOf: (tokens: readonly EvmAddress[]) => Promise<(token: EvmAddress) => TokenNature>,
  of: WalletOnChain<EvmAddress>,
): Promise<readonly Adjustment[]> {
  const ledger = await sums.sums(of)
  if (!ledger) return []
  const reader = openReader(of.chain, [], ledger.block)
  const tokens = [...ledger.sums.keys()].map(evmAddress).filter((token) => token !== NATIVE)
  const [scan, natureOf] = await Promise.all([reader.scan(of.wallet, tokens), naturesOf(tokens)])
  const header = await reader.header()
  if (header.number !== ledger.block) throw new UpstreamError('invalid', 'the balances are of another block')
  return sums.settle(of, ledger.block, ({ sums }) =>
    tokens.concat(NATIVE).flatMap((token) => differenceOf(token, sums.get(token) ?? 0n, scan, natureOf(token))),
  )
}

/** Share tokens round each transfer: up to a billionth of the balance. */
const ROUNDING_PARTS = 1_000_000_000n

/** Without a balance, a listed token keeps its sum; an unlisted one counts as 0. */
function differenceOf(
  token: EvmAddress,
  sum: bigint,
  scan: Scan,
  { rebasing, debt, listed }: TokenNature,
): Adjustment[] {
  const balance = balanceOf(scan, token) ?? (listed ? sum : 0n)
  const amountRaw = balance - sum
  if (amountRaw === 0n) return []
  const size = amountRaw < 0n ? -amountRaw : amountRaw
  const isRounding = token !== NATIVE && size <= balance / ROUNDING_PARTS
  return [{ token, amountRaw, debt, kind: rebasing || isRounding ? 'interest' : 'gap' }]
}

function balanceOf(scan: Scan, token: EvmAddress): bigint | undefined {
  if (token === NATIVE) return scan.nativeRaw
  return scan.failed.has(token) ? undefined : (scan.balances.get(token) ?? 0n)
}

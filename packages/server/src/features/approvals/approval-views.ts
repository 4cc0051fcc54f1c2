import { Failure, type Approval as Item } from '@coffer/contract'
import type { Address } from '../../domain/address.ts'
import type { LogPlace } from '../../domain/approval.ts'
import type { WalletOnChain } from '../../domain/wallet-on-chain.ts'
import type { IconUrls } from '../icons/icons.ts'
import type { Approvals, TimedApproval } from './approvals.ts'
import type { ReadAssets } from './approved-assets.ts'
import type { Cursors } from './cursors.ts'

type Request = { chain: string; addresses: readonly Address[]; limit: number; cursor?: string | undefined }

export type ApprovalViews = ReturnType<typeof createApprovalViews>

export function createApprovalViews({
  approvals,
  assets,
  cursors,
  isEnabled,
  noteUse,
}: {
  approvals: Approvals
  assets: ReadAssets
  cursors: Cursors
  isEnabled(chain: string): boolean
  noteUse(wallet: Address): void
}) {
  function startOf({ chain, addresses, cursor }: Request): {
    of: WalletOnChain
    below: LogPlace | undefined
  } {
    const [wallet] = addresses
    if (!wallet || !isEnabled(chain)) throw new Failure('VALIDATION_ERROR', `chain: ${chain} is not enabled here`)
    const of = { wallet, chain }
    if (cursor === undefined) return { of, below: undefined }
    const below = cursors.read(of, cursor)
    if (!below) throw new Failure('VALIDATION_ERROR', 'cursor: not that of an answer for this wallet and chain')
    return { of, below }
  }

  return {
    check: (request: Request) => void startOf(request),

    async list(request: Request, icons: Pick<IconUrls, 'token'>) {
      const { of, below } = startOf(request)
      noteUse(of.wallet)
      const { approvals: found, last } = await approvals.page(of, request.limit, below)
      const contracts = found.map(({ contract }) => contract)
      const held = await assets(of, contracts, icons)
      const items = found.map((approval) => present(of.wallet, approval, held.get(approval.contract)))
      return { cursor: last ? cursors.write(of, last) : null, pageSize: items.length, items }
    },
  }
}

function present(wallet: string, approval: TimedApproval, asset: Item['asset']): Item {
  const { block, time, hash, contract, spender, amountRaw } = approval
  return {
    block: block.toString(),
    timestamp: new Date(time * 1000).toISOString().replace('.000Z', 'Z'),
    hash,
    contract,
    from: wallet,
    to: spender,
    amount: amountRaw.toString(),
    ...(asset && { asset }),
  }
}

import type { TokenAmount } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { UpstreamError } from '../../../../lib/upstream-error.ts'
import { invalid } from '../../codec/account-data.ts'
import { heldAmount, mintsAmong } from '../../codec/token-program.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import { type Accounts, readAccounts } from '../account-reads.ts'
import type { MintLead, MintLeads, SolanaAdapter } from '../adapter.ts'
import { isFungible, readShareTokens, type Share, type ShareScope } from '../share-tokens.ts'
import { type LpPool, type LpProgram, lpPrograms } from './layout.ts'

/** Anyone can create mints with this authority and send them. */
const SEARCHED_AT_ONCE = 16

/**
 * Rounded down like a withdrawal. Shares do not lead to a pool: the mint's authority identifies one, and a search by
 * mint finds the pool.
 */
export function createRaydiumPools(leads: MintLeads = new Map()): SolanaAdapter {
  async function readShares({ reader, held, leftOut }: ShareScope): Promise<ReadonlyMap<SolanaAddress, Share>> {
    const mints = held.filter(isFungible).map(({ mint }) => mint)
    const [located, recognised] = await Promise.all([
      readKnown(reader, mints, leads),
      recognise(
        reader,
        mints.filter((mint) => leads.get(mint) === undefined),
      ),
    ])
    for (const [mint, program] of recognised) leads.set(mint, program && { program: program.program })
    const unlocated = mints.flatMap((mint) => {
      const lead = leads.get(mint)
      const of = lead && !poolOf(lead) && lpPrograms.find(({ program }) => program === lead['program'])
      return of ? [{ mint, of }] : []
    })
    const lost = unlocated.slice(0, SEARCHED_AT_ONCE)
    if (lost.length < unlocated.length) {
      leftOut(new UpstreamError('unavailable', 'more shares of Raydium than one read searches pools of'))
    }
    const found = await Promise.all(lost.map(({ mint, of }) => locate(reader, mint, of)))
    const vaults = await readAccounts(
      reader,
      found.flatMap((pool) => pool?.vaults ?? []),
    )
    const shares = new Map(located)
    for (const [index, { mint, of }] of lost.entries()) {
      const pool = found[index]
      if (pool) shares.set(mint, shareOf(of, pool, vaults))
    }
    return shares
  }

  /** Any mint can be given this authority. */
  async function locate(reader: SolanaReader, mint: SolanaAddress, of: LpProgram): Promise<LpPool | undefined> {
    const { program, kind, mintOffset } = of
    const [account, another] = await reader.programAccounts(program, [kind, { offset: mintOffset, bytes: mint }])
    const pool = account && of.readPool(account)
    if (pool && (another || pool.lpMint !== mint))
      throw invalid('pool of Raydium', pool.address, 'is not the one of its shares')
    leads.set(mint, pool ? { program, pool: pool.address, vault0: pool.vaults[0], vault1: pool.vaults[1] } : null)
    return pool
  }

  return {
    name: 'raydium_pools',
    key: 'raydium_pools',
    title: 'Raydium Pools',
    siteUrl: 'https://raydium.io',
    ...readShareTokens('liquidity', readShares),
  }
}

/** Null: not a share. */
async function recognise(
  reader: SolanaReader,
  mints: readonly SolanaAddress[],
): Promise<Map<SolanaAddress, LpProgram | null>> {
  const found = mintsAmong(await reader.accounts(mints))
  return new Map(
    [...found].map(([mint, { authority }]) => [mint, lpPrograms.find((of) => of.authority === authority) ?? null]),
  )
}

function poolOf({ pool, vault0, vault1 }: MintLead): Pick<LpPool, 'address' | 'vaults'> | undefined {
  return pool && vault0 && vault1 ? { address: pool, vaults: [vault0, vault1] } : undefined
}

async function readKnown(
  reader: SolanaReader,
  mints: readonly SolanaAddress[],
  leads: MintLeads,
): Promise<Map<SolanaAddress, Share>> {
  const pools = mints.flatMap((mint) => {
    const lead = leads.get(mint)
    const of = lpPrograms.find(({ program }) => program === lead?.['program'])
    const pool = lead && poolOf(lead)
    return of && pool ? [{ mint, of, pool }] : []
  })
  const named = pools.flatMap(({ pool }) => [pool.address, ...pool.vaults])
  const accounts = await readAccounts(reader, named)
  return new Map(
    pools.map(({ mint, of, pool: { address } }) => {
      const pool = of.readPool(accounts.get(address))
      if (pool.lpMint !== mint) throw invalid('pool of Raydium', address, 'is of other shares than before')
      return [mint, shareOf(of, pool, accounts)]
    }),
  )
}

function shareOf(of: LpProgram, pool: LpPool, accounts: Accounts): Share {
  const parts = pool.tokens.map((mint, side) => {
    const account = accounts.get(pool.vaults[side] ?? '')
    const held = heldAmount(account, 'vault of Raydium', { mint, owner: of.authority })
    return { token: mint, total: held - (pool.owed[side] ?? 0n) }
  })
  if (pool.shares === 0n || parts.some(({ total }) => total < 0n)) {
    throw invalid('pool of Raydium', pool.address, 'owes more than it has, or has no shares')
  }
  const decompose = (amountRaw: bigint): TokenAmount[] =>
    parts.map(({ token, total }) => ({ token, amountRaw: (amountRaw * total) / pool.shares }))
  return { label: of.label, pool: pool.address, receipt: { decompose } }
}

import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { attempt, UpstreamError } from '../../../../lib/upstream-error.ts'
import { invalid, ofKind, readAccount, type SolanaAccount } from '../../codec/account-data.ts'
import { mintAuthorities, supplyOf } from '../../codec/token-program.ts'
import { type Accounts, orLeftOut, readAccounts } from '../account-reads.ts'
import type { MintLead, MintLeads, SolanaAdapter } from '../adapter.ts'
import {
  fungibleMints,
  readShareTokens,
  type Share,
  type ShareScope,
  withLeads,
  withoutLeads,
} from '../share-tokens.ts'
import { LENDING, LENDING_ADMIN, LENDING_PROGRAM, type Lending, RESERVE, REWARDS } from './layout.ts'
import { reservePrices, sharePriceAt, worth } from './math.ts'
import { readVaultPositions } from './vaults.ts'

const lent = readShareTokens('lending', readLendingShares)

/** One unit of a jlToken looks like an NFT, so leads are separate. Health would need the vaults' oracles. */
export const jupiterLend: SolanaAdapter = {
  key: 'jupiter_lend',
  title: 'Jupiter Lend',
  siteUrl: 'https://jup.ag/lend',
  receipts: lent.receipts,

  async positions(scope) {
    return (await Promise.all([lent.positions(scope), readVaultPositions(scope)])).flat()
  },
}

type Lent = { mint: SolanaAddress; at: SolanaAddress; lending: Lending }

/** Accrued to the clock's time, rounded down. A mint's authority suggests a jlToken; a search of lendings finds it. */
async function readLendingShares(scope: ShareScope): Promise<Map<SolanaAddress, Share>> {
  const { reader, held, clock, found, leftOut } = scope
  const leads = found.leads('jupiter_lend')
  const mints = fungibleMints(held)
  await locate(scope, mints, leads)
  const located = withLeads(mints, leads).map((each) => ({ ...each, at: each.lead['lending'] ?? '' }))
  const ahead = located.flatMap(({ mint, lead }) => [mint, ...Object.values(lead)])
  const heads = await readAccounts(reader, ahead.filter(isAccount))
  const opened = located.map(({ mint, at }) => ({
    mint,
    at,
    lending: attempt(() => readAccount(heads.get(at), LENDING)),
  }))
  const named = opened.flatMap(({ lending }) =>
    lending instanceof UpstreamError ? [] : [lending.reserve, lending.rewards].filter(isAccount),
  )
  const accounts = new Map([...heads, ...(await readAccounts(reader, named))])
  const shares = new Map<SolanaAddress, Share>()
  for (const { mint, at, lending } of opened) {
    const share = lending instanceof UpstreamError ? lending : shareOf({ mint, at, lending }, accounts, clock.time)
    if (share instanceof UpstreamError) leftOut(share)
    else shares.set(mint, share)
  }
  return shares
}

/** The system program's address stands for no rewards. */
const isAccount = (address: SolanaAddress) => address !== NATIVE_SOL

async function locate({ reader, leftOut }: ShareScope, mints: readonly SolanaAddress[], leads: MintLeads) {
  const found = mintAuthorities(await reader.accounts(withoutLeads(mints, leads)))
  const isOfJupiter = [...found.values()].some((authority) => authority === LENDING_ADMIN)
  const search = () => reader.programAccounts(LENDING_PROGRAM, [ofKind(LENDING)])
  const accounts = isOfJupiter ? await orLeftOut(search(), 'not-allowed', leftOut) : []
  const lendings = accounts?.map((account) => attempt(() => leadOf(account))) ?? []
  const broken = lendings.filter((lending) => lending instanceof UpstreamError)
  for (const why of broken) leftOut(why)
  const known = new Map(lendings.flatMap((lending) => (lending instanceof UpstreamError ? [] : [lending])))
  const isWhole = accounts !== undefined && broken.length === 0
  for (const [mint, authority] of found) {
    const lead = known.get(mint)
    if (lead || isWhole || authority !== LENDING_ADMIN) leads.set(mint, lead ?? null)
  }
}

function leadOf(account: SolanaAccount): readonly [SolanaAddress, MintLead] {
  const { address, shares, reserve, rewards } = readAccount(account, LENDING)
  return [shares, { lending: address, reserve, rewards }]
}

function shareOf(of: Lent, accounts: Accounts, now: number): Share | UpstreamError {
  return attempt(() => {
    const price = priceOf(of, accounts, BigInt(now))
    const decompose = (amountRaw: bigint) => [{ token: of.lending.token, amountRaw: worth(amountRaw, price) }]
    return { label: 'Lending', pool: of.at, decompose }
  })
}

function priceOf({ mint, at, lending }: Lent, accounts: Accounts, now: bigint): bigint {
  const { token } = lending
  const reserve = readAccount(accounts.get(lending.reserve), RESERVE)
  const rewards = isAccount(lending.rewards) ? readAccount(accounts.get(lending.rewards), REWARDS) : undefined
  if (lending.shares !== mint || reserve.token !== token || (rewards && rewards.token !== token)) {
    throw invalid(LENDING.what, at, 'is of other tokens')
  }
  // An account may be a second after the clock.
  const time = now > lending.updatedAt ? now : lending.updatedAt
  const [liquidity] = reservePrices(reserve, time)
  if (lending.liquidityPrice === 0n || liquidity < lending.liquidityPrice) {
    throw invalid(LENDING.what, at, 'has no price, or a higher one than its reserve')
  }
  return sharePriceAt(lending, { time, liquidity, rewards, shares: supplyOf(accounts.get(mint)) })
}

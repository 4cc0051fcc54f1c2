import type { PositionDraft } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { attempt, UpstreamError } from '../../../../lib/upstream-error.ts'
import { invalid, ofKind, readAccount, type SolanaAccount } from '../../codec/account-data.ts'
import { metadataAddress, metadataAuthority } from '../../codec/token-program.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import { type Accounts, orLeftOut, readAccounts } from '../account-reads.ts'
import type { MintLead, MintLeads, PositionScope } from '../adapter.ts'
import { nftMints } from '../position-nfts.ts'
import { withLeads, withoutLeads } from '../share-tokens.ts'
import {
  BRANCH,
  BRANCH_STATUS,
  branchAddress,
  CONFIG,
  METADATA,
  PAST_TICKS,
  POSITION,
  pastTickGroup,
  pastTicksAddress,
  placeInGroup,
  RESERVE,
  reserveAddress,
  STATE,
  TICK,
  tickAddress,
  VAULT_ADMIN,
  VAULTS_PROGRAM,
  vaultAddresses,
} from './layout.ts'
import {
  ALL,
  type BranchEnd,
  connectedFactor,
  debtAtTick,
  isTick,
  leftOf,
  owed,
  reservePrices,
  vaultPrices,
  worth,
} from './math.ts'

/** Anyone can send NFTs with this authority. */
const SEARCHED_AT_ONCE = 16
/** Each costs a round trip. */
const MOST_BRANCHES = 32
/** Independent of the token's decimals. */
const VAULT_DECIMALS = 9
const NO_TICK = -(2 ** 31)
const PLAIN = 0

/** Rounds supply down, debt up. An NFT's metadata suggests a position; a search by its mint finds it. */
export async function readVaultPositions(scope: PositionScope): Promise<PositionDraft[]> {
  const { reader, found, leftOut } = scope
  const leads = found.leads('jupiter_lend_vaults')
  const mints = nftMints(scope)
  await locate(scope, mints, leads)
  const located = withLeads(mints, leads)
  const named = located.flatMap(({ lead }) => Object.values(lead))
  const heads = await readAccounts(reader, named)
  const opened = await Promise.all(
    located.map(({ mint, lead }) => orLeftOut(openPosition(mint, lead, heads), 'invalid', leftOut)),
  )
  const positions = opened.filter((position) => position !== undefined)
  const parts = await readAccounts(reader, positions.flatMap(partsOf))
  const drafts = await Promise.all(
    positions.map((position) => orLeftOut(draftOf(position, parts, scope), 'invalid', leftOut)),
  )
  return drafts.filter((draft) => draft !== undefined)
}

async function locate({ reader, leftOut }: PositionScope, mints: readonly SolanaAddress[], leads: MintLeads) {
  const unseen = withoutLeads(mints, leads)
  const metadata = await reader.accounts(unseen.map(metadataAddress))
  const isLikely = (account: SolanaAccount | null | undefined) =>
    account && attempt(() => metadataAuthority(account)) === VAULT_ADMIN
  const likely = unseen.filter((_, index) => isLikely(metadata[index]))
  for (const mint of unseen) if (!likely.includes(mint)) leads.set(mint, null)
  const searched = likely.slice(0, SEARCHED_AT_ONCE)
  if (searched.length < likely.length) {
    leftOut?.(new UpstreamError('unavailable', 'more positions of Jupiter Lend than one read searches'))
  }
  const search = Promise.all(searched.map(async (mint) => [mint, await positionOf(reader, mint)] as const))
  for (const [mint, account] of (await orLeftOut(search, 'not-allowed', leftOut)) ?? []) {
    const lead =
      account &&
      attempt((): MintLead => {
        return { position: account.address, ...vaultAddresses(readAccount(account, POSITION).vault) }
      })
    if (lead instanceof UpstreamError) leftOut?.(lead)
    else leads.set(mint, lead)
  }
}

/** Any metadata can name this authority. */
async function positionOf(reader: SolanaReader, mint: SolanaAddress): Promise<SolanaAccount | null> {
  const filters = [ofKind(POSITION), { offset: POSITION.fields.mint[1], bytes: mint }]
  const [account = null] = await reader.programAccounts(VAULTS_PROGRAM, filters)
  return account
}

type Position = Awaited<ReturnType<typeof openPosition>>

async function openPosition(mint: SolanaAddress, lead: MintLead, accounts: Accounts) {
  const at = (role: string) => accounts.get(lead[role] ?? '')
  const position = readAccount(at('position'), POSITION)
  const config = readAccount(at('config'), CONFIG)
  const state = readAccount(at('state'), STATE)
  const { vault, decimals } = readAccount(at('metadata'), METADATA)
  const { address } = position
  if (position.mint !== mint || [config, state, position].some((part) => part.vault !== vault)) {
    throw invalid(POSITION.what, address, 'is of another NFT or vault')
  }
  if (config.type !== PLAIN || decimals.some((places) => places > VAULT_DECIMALS)) {
    throw invalid(POSITION.what, address, `is in a vault of type ${config.type}, which is not read`)
  }
  const hasDebt = !position.isSupplyOnly && position.tick !== NO_TICK
  if (hasDebt && !isTick(position.tick)) throw invalid(POSITION.what, address, `is in tick ${position.tick}`)
  const scaleOf = (places: number) => 10n ** BigInt(VAULT_DECIMALS - places)
  const scales = { supplyScale: scaleOf(decimals[0]), debtScale: scaleOf(decimals[1]) }
  return { ...position, hasDebt, config, state, ...scales }
}

function partsOf({ vault, tick, tickId, hasDebt, config }: Position): SolanaAddress[] {
  const ticks = hasDebt ? [tickAddress(vault, tick), pastTicksAddress(vault, tick, tickId)] : []
  return [...config.tokens.map(reserveAddress), ...ticks]
}

async function draftOf(position: Position, parts: Accounts, { reader, clock }: PositionScope): Promise<PositionDraft> {
  const { vault, mint, config, supplyScale, debtScale } = position
  const [supplyPrice, debtPrice] = pricesOf(position, parts, BigInt(clock.time))
  const { supply, debt } = await rawOf(position, parts, reader)
  return {
    kind: 'lending',
    label: `Vault ${vault}`,
    pool: mint,
    supplied: [{ token: config.tokens[0], amountRaw: worth(supply, supplyPrice, supplyScale) }],
    borrowed: [{ token: config.tokens[1], amountRaw: owed(debt, debtPrice, debtScale) }],
    receipts: [mint],
  }
}

function pricesOf({ address, config, state }: Position, parts: Accounts, now: bigint) {
  // An account may be a second after the clock.
  const time = now > state.updatedAt ? now : state.updatedAt
  const reserves = config.tokens.map((token) => {
    const reserve = readAccount(parts.get(reserveAddress(token)), RESERVE)
    if (reserve.token !== token) throw invalid(POSITION.what, address, 'has a reserve of another token')
    return reservePrices(reserve, time)
  })
  const liquidity = [reserves[0]?.[0] ?? 0n, reserves[1]?.[1] ?? 0n] as const
  if (state.liquidityPrices.some((price, side) => price === 0n || price > (liquidity[side] ?? 0n))) {
    throw invalid(POSITION.what, address, 'is in a vault without a price, or with a higher one than its reserves')
  }
  return vaultPrices(state, { time, liquidity, magnifiers: config.magnifiers })
}

type Raw = { supply: bigint; debt: bigint }
const NOTHING: Raw = { supply: 0n, debt: 0n }

/** Times the vault's prices, without the dust that fills a tick. */
async function rawOf(position: Position, parts: Accounts, reader: SolanaReader): Promise<Raw> {
  const { address, supply, dustDebt } = position
  if (!position.hasDebt) return { supply, debt: 0n }
  const debt = debtAtTick(supply, position.tick)
  const liquidation = liquidationOf(position, parts)
  if (liquidation) {
    const left = await afterLiquidation(position, { ...liquidation, debt }, reader)
    return left.debt > dustDebt ? { supply: left.supply, debt: left.debt - dustDebt } : NOTHING
  }
  if (dustDebt > debt) throw invalid(POSITION.what, address, 'has more dust than debt')
  return { supply, debt: debt - dustDebt }
}

type Liquidation = { isFullyLiquidated: boolean; branch: number; factor: bigint }

function liquidationOf({ address, vault, tick, tickId }: Position, parts: Accounts): Liquidation | undefined {
  const present = readAccount(parts.get(tickAddress(vault, tick)), TICK)
  if (present.vault !== vault || present.tick !== tick || present.ids < tickId || tickId === 0) {
    throw invalid(POSITION.what, address, 'is in another tick')
  }
  if (present.ids === tickId) return present.isLiquidated ? present : undefined
  const group = readAccount(parts.get(pastTicksAddress(vault, tick, tickId)), PAST_TICKS)
  if (group.vault !== vault || group.tick !== tick || group.group !== pastTickGroup(tickId)) {
    throw invalid(PAST_TICKS.what, group.address, 'is of another tick')
  }
  return group.past[placeInGroup(tickId)]
}

async function afterLiquidation(
  position: Position,
  { isFullyLiquidated, debt, ...liquidation }: Liquidation & { debt: bigint },
  reader: SolanaReader,
): Promise<Raw> {
  const end = isFullyLiquidated ? undefined : await branchEnd(position, liquidation, reader)
  if (!end) return NOTHING
  const left = leftOf(debt, end.factor, end.branch)
  if (!left) throw invalid(POSITION.what, position.address, 'has a debt that its branch does not explain')
  return left
}

/** Follows merged branches. */
async function branchEnd(
  { address, vault }: Position,
  from: { branch: number; factor: bigint },
  reader: SolanaReader,
): Promise<{ branch: BranchEnd; factor: bigint } | undefined> {
  let { branch: id, factor } = from
  for (let depth = 1; depth <= MOST_BRANCHES; depth += 1) {
    const branch = await readBranch(vault, id, reader)
    if (branch.status === BRANCH_STATUS.closed) return undefined
    if (branch.status === BRANCH_STATUS.liquidated) return { branch, factor }
    const connected = branch.status === BRANCH_STATUS.merged ? connectedFactor(factor, branch.factor) : undefined
    if (connected === ALL) return undefined
    if (connected === undefined) break
    factor = connected
    id = branch.connected
  }
  throw invalid(POSITION.what, address, `was liquidated into branch ${id}, which leads no further`)
}

async function readBranch(vault: number, id: number, reader: SolanaReader) {
  const [account] = await reader.accounts([branchAddress(vault, id)])
  const branch = readAccount(account, BRANCH)
  if (branch.vault === vault && branch.id === id) return branch
  throw invalid(BRANCH.what, branch.address, 'is another one')
}

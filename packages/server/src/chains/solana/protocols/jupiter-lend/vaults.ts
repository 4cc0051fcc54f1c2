import type { PositionDraft } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { attempt, UpstreamError } from '../../../../lib/upstream-error.ts'
import { invalid, ofKind, openAccount, openExisting, type SolanaAccount } from '../../codec/account-data.ts'
import { metadataAddress, metadataAuthority } from '../../codec/token-program.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import { type Accounts, orLeftOut, readAccounts } from '../account-reads.ts'
import type { MintLead, MintLeads, PositionScope } from '../adapter.ts'
import { nonZero } from '../amounts.ts'
import { nftMints } from '../position-nfts.ts'
import {
  BRANCH,
  BRANCH_STATUS,
  branchAddress,
  branchFields,
  CONFIG,
  configFields,
  METADATA,
  metadataFields,
  PAST_TICKS,
  POSITION,
  POSITION_MINT,
  pastTickFields,
  pastTickGroup,
  pastTickPlace,
  pastTicksAddress,
  pastTicksFields,
  positionFields,
  RESERVE,
  reserveAddress,
  reserveFields,
  STATE,
  stateFields,
  TICK,
  tickAddress,
  tickFields,
  VAULT_ADMIN,
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
/** Sides are tokens, not pool shares. */
const PLAIN = 0

/** Supply is rounded down and debt up. An NFT's metadata suggests a position; a search by its mint finds it. */
export async function readVaultPositions(scope: PositionScope, leads: MintLeads): Promise<PositionDraft[]> {
  const { reader, leftOut } = scope
  const mints = nftMints(scope)
  const unseen = mints.filter((mint) => leads.get(mint) === undefined)
  await locate(scope, unseen, leads)
  const found = mints.flatMap((mint) => {
    const lead = leads.get(mint)
    return lead ? [{ mint, lead }] : []
  })
  const heads = await readAccounts(
    reader,
    found.flatMap(({ lead }) => Object.values(lead)),
  )
  const opened = await Promise.all(
    found.map(({ mint, lead }) => orLeftOut(openPosition(mint, lead, heads), 'invalid', leftOut)),
  )
  const positions = opened.filter((position) => position !== undefined)
  const parts = await readAccounts(reader, positions.flatMap(partsOf))
  const drafts = await Promise.all(
    positions.map((position) => orLeftOut(draftOf(position, parts, scope), 'invalid', leftOut)),
  )
  return drafts.filter((draft) => draft !== undefined)
}

async function locate(
  { reader, leftOut }: PositionScope,
  unseen: readonly SolanaAddress[],
  leads: MintLeads,
): Promise<void> {
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
    const lead = account && attempt(() => leadOf(account))
    if (lead instanceof UpstreamError) leftOut?.(lead)
    else leads.set(mint, lead)
  }
}

/** Any metadata can name this authority. */
async function positionOf(reader: SolanaReader, mint: SolanaAddress): Promise<SolanaAccount | null> {
  const filters = [ofKind(POSITION.discriminator), { offset: POSITION_MINT, bytes: mint }]
  const [account = null] = await reader.programAccounts(POSITION.programs[0], filters)
  return account
}

function leadOf(account: SolanaAccount): MintLead {
  return { position: account.address, ...vaultAddresses(positionFields(openAccount(account, POSITION)).vault) }
}

type Position = Awaited<ReturnType<typeof openPosition>>

async function openPosition(mint: SolanaAddress, lead: MintLead, accounts: Accounts) {
  const at = (role: string) => accounts.get(lead[role] ?? '')
  const position = positionFields(openExisting(at('position'), POSITION))
  const config = configFields(openExisting(at('config'), CONFIG))
  const state = stateFields(openExisting(at('state'), STATE))
  const { vault, decimals } = metadataFields(openExisting(at('metadata'), METADATA))
  const address = lead['position'] ?? ''
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
  return { address, ...position, hasDebt, config, state, ...scales }
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
    supplied: nonZero([{ token: config.tokens[0], amountRaw: worth(supply, supplyPrice, supplyScale) }]),
    borrowed: nonZero([{ token: config.tokens[1], amountRaw: owed(debt, debtPrice, debtScale) }]),
    receipts: [mint],
  }
}

function pricesOf({ address, config, state }: Position, parts: Accounts, now: bigint) {
  // An account may be a second after the clock.
  const time = now > state.updatedAt ? now : state.updatedAt
  const reserves = config.tokens.map((token) => {
    const reserve = reserveFields(openExisting(parts.get(reserveAddress(token)), RESERVE))
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
  const present = tickFields(openExisting(parts.get(tickAddress(vault, tick)), TICK))
  if (present.vault !== vault || present.tick !== tick || present.ids < tickId || tickId === 0) {
    throw invalid(POSITION.what, address, 'is in another tick')
  }
  if (present.ids === tickId) return present.isLiquidated ? present : undefined
  const past = openExisting(parts.get(pastTicksAddress(vault, tick, tickId)), PAST_TICKS)
  const of = pastTicksFields(past)
  if (of.vault !== vault || of.tick !== tick || of.group !== pastTickGroup(tickId)) {
    throw invalid(PAST_TICKS.what, past.address, 'is of another tick')
  }
  return pastTickFields(past, pastTickPlace(tickId))
}

async function afterLiquidation(
  position: Position,
  { isFullyLiquidated, branch, factor, debt }: Liquidation & { debt: bigint },
  reader: SolanaReader,
): Promise<Raw> {
  if (isFullyLiquidated) return NOTHING
  const end = await branchEnd(position, { branch, factor, depth: 1 }, reader)
  if (!end) return NOTHING
  const left = leftOf(debt, end.factor, end.branch)
  if (!left) throw invalid(POSITION.what, position.address, 'has a debt that its branch does not explain')
  return left
}

type BranchPlace = { branch: number; factor: bigint; depth: number }
type FollowedBranch = { branch: BranchEnd; factor: bigint }

/** Follows merged branches. */
async function branchEnd(
  { address, vault }: Pick<Position, 'address' | 'vault'>,
  { branch: id, factor, depth }: BranchPlace,
  reader: SolanaReader,
): Promise<FollowedBranch | undefined> {
  const [account] = await reader.accounts([branchAddress(vault, id)])
  const branch = branchFields(openExisting(account, BRANCH))
  if (branch.vault !== vault || branch.id !== id) throw invalid(BRANCH.what, branchAddress(vault, id), 'is another one')
  if (branch.status === BRANCH_STATUS.closed) return undefined
  if (branch.status === BRANCH_STATUS.liquidated) return { branch, factor }
  const connected = branch.status === BRANCH_STATUS.merged ? connectedFactor(factor, branch.factor) : undefined
  if (connected === undefined || depth === MOST_BRANCHES) {
    throw invalid(POSITION.what, address, `was liquidated into branch ${id}, which leads no further`)
  }
  if (connected === ALL) return undefined
  return branchEnd({ address, vault }, { branch: branch.connected, factor: connected, depth: depth + 1 }, reader)
}

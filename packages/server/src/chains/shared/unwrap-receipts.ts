import type { Address } from '../../domain/address.ts'
import type { LiquidityBudget } from '../../domain/liquidity.ts'
import { type Position, type PositionKind, stampPosition, type TokenAmount } from '../../domain/position.ts'
import type { Token } from '../../domain/token.ts'
import { isNodeFailure } from '../../lib/upstream-error.ts'
import { type PriceSession, RECEIPT } from '../../prices/price-graph.ts'
import type { ReceiptDirectory } from '../../prices/receipts.ts'

const MOST_LEVELS = 5
const MOST_LISTED = 64

/** Their supply may itself be a receipt. */
const STAKES: ReadonlySet<PositionKind> = new Set(['farming', 'staked', 'locked'])
/** Collateral is seized as the token that it is. */
const LOANS: ReadonlySet<PositionKind> = new Set(['lending', 'margin', 'perpetuals'])

type Means = {
  directory: ReceiptDirectory
  session: PriceSession
  learn(tokens: readonly Address[]): Promise<unknown>
  /** Left to pay by untrusted contracts. */
  budget: LiquidityBudget
  /** Kept positions are unwrapped already. */
  before: readonly Position[] | undefined
}

type Piece = TokenAmount & { isStaked: boolean; path: readonly Address[] }

/** Keeps receipts of refusing contracts, with another price, or without metadata of a part. Rejects if a node fails. */
export async function unwrapReceipts(positions: readonly Position[], means: Means): Promise<Position[]> {
  const kept = new Set(means.before)
  let lists = positions.map((position) => ({ position, ...(kept.has(position) ? NOTHING : piecesOf(position)) }))
  for (let level = 0; level < MOST_LEVELS; level += 1) {
    const opened = await unwrapLevel(
      lists.flatMap(({ supplied, rewards }) => [...supplied, ...rewards]),
      means,
    )
    if (opened.size === 0) break
    lists = lists.map(({ position, supplied, rewards }) => ({
      position,
      supplied: asPaid(withOpened(supplied, opened), means.budget),
      rewards: asPaid(withOpened(rewards, opened), means.budget),
    }))
  }
  return lists.flatMap(({ position, supplied, rewards }) => {
    if (![...supplied, ...rewards].some(({ path }) => path.length > 0)) return [position]
    const draft = { ...position, supplied: summed(supplied), rewards: summed(rewards) }
    return stampPosition(draft, position.protocol, position.chain) ?? []
  })
}

const NOTHING = { supplied: [], rewards: [] }

function piecesOf({ kind, supplied, rewards }: Position): { supplied: Piece[]; rewards: Piece[] } {
  if (LOANS.has(kind)) return { supplied: [], rewards: [] }
  const piece = (isStaked: boolean) => (amount: TokenAmount) => ({ ...amount, isStaked, path: [] })
  return { supplied: supplied.map(piece(STAKES.has(kind))), rewards: rewards.map(piece(false)) }
}

async function unwrapLevel(
  pieces: readonly Piece[],
  { directory, session, learn }: Means,
): Promise<Map<Piece, Piece[]>> {
  const closed = pieces.filter((piece) => mayUnwrap(piece, directory.underlyings(piece.token)))
  const [prices, opened] = await Promise.all([
    session.price(closed.flatMap(({ token, amountRaw }) => requestOf(directory.token(token), amountRaw))),
    Promise.all(closed.map((piece) => partsOf(piece, directory))),
  ])
  await learn(opened.flat().map(({ token }) => token))
  return new Map(
    closed.flatMap((piece, index): [Piece, Piece[]][] => {
      const parts = opened[index] ?? []
      const source = prices.get(piece.token)?.source ?? RECEIPT
      const isKnown = parts.length > 0 && parts.every(({ token }) => directory.token(token))
      return isKnown && source === RECEIPT ? [[piece, parts]] : []
    }),
  )
}

const requestOf = (token: Token | undefined, amountRaw: bigint) => (token ? [{ token, amountRaw }] : [])

/** A receipt of one token is a form of it, unless staked. */
function mayUnwrap({ isStaked }: Piece, underlyings: readonly Address[] | undefined): boolean {
  return underlyings !== undefined && (isStaked || underlyings.length !== 1)
}

async function partsOf({ token, amountRaw, isStaked, path }: Piece, directory: ReceiptDirectory): Promise<Piece[]> {
  const inside = [...path, token]
  try {
    const parts = (await directory.decompose(token, amountRaw)) ?? []
    const isOpened = isStaked || parts.length > 1
    if (!isOpened || parts.length > MOST_LISTED || parts.some((part) => inside.includes(part.token))) return []
    const isLie = ({ backing }: TokenAmount) => backing?.supplyRaw !== undefined && amountRaw > backing.supplyRaw
    return parts.map((part) => ({
      ...part,
      amountRaw: isLie(part) ? 0n : part.amountRaw,
      isStaked: false,
      path: inside,
    }))
  } catch (error) {
    if (isNodeFailure(error)) throw error
    return []
  }
}

function withOpened(list: readonly Piece[], opened: ReadonlyMap<Piece, Piece[]>): Piece[] {
  const next = list.flatMap((piece) => opened.get(piece) ?? [piece])
  return next.length > MOST_LISTED ? [...list] : next
}

/** Bounds amounts by what untrusted contracts can pay. */
function asPaid(list: readonly Piece[], budget: LiquidityBudget): Piece[] {
  return list.map(({ backing, ...piece }) =>
    backing ? { ...piece, amountRaw: budget.take(piece.amountRaw, backing) } : piece,
  )
}

function summed(pieces: readonly Piece[]): TokenAmount[] {
  const sums = new Map<Address, bigint>()
  for (const { token, amountRaw } of pieces) sums.set(token, (sums.get(token) ?? 0n) + amountRaw)
  return [...sums].map(([token, amountRaw]) => ({ token, amountRaw }))
}

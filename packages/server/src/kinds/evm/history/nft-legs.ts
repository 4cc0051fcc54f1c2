import type { Address } from '../../../domain/address.ts'
import type { TokenAmount } from '../../../domain/position.ts'
import { isGiven, isReceived, legOf } from '../../legs.ts'
import { withoutWrap } from './book.ts'
import type { FamilyHistory, NftStep } from './family-history.ts'
import { type Leg, type Part, positionPart, type Remainder } from './legs.ts'
import type { Scene } from './scene.ts'

/**
 * Legs of NFTs that stand for tokens in a pool. Payments of a step are the wallet's if the pool or the manager dealt
 * with the wallet itself; those of a vault's own NFTs are not.
 */
export function nftLegs(scene: Scene, rest: Remainder): Leg[] {
  return historiesIn(scene).flatMap(({ protocol, history }) =>
    (history.nftSteps?.(scene.tx.logs) ?? []).flatMap((step) => stepLegs(scene, rest, step, protocol)),
  )
}

/** Called contracts come first: one that keeps NFTs for wallets may log nothing of what they do through it. */
function historiesIn({ tx, calls, book }: Scene): { protocol: string; history: FamilyHistory }[] {
  const speakers = new Set([...calls.map(({ to }) => to), ...tx.logs.map(({ address }) => address)])
  return [...speakers].flatMap((address) => {
    const known = book.instrumentOf(address)
    return known?.adapter.history.nftSteps ? [{ protocol: known.adapter.key, history: known.adapter.history }] : []
  })
}

function stepLegs({ calls, book }: Scene, rest: Remainder, step: NftStep, protocol: string): Leg[] {
  const is = (token: Address, part: Part) => withoutWrap(book, token) === withoutWrap(book, part.token)
  const taking = (amounts: readonly TokenAmount[], side: (part: Part) => boolean) =>
    amounts.flatMap(({ token, amountRaw }) =>
      rest.takeUpTo(amountRaw, (part) => side(part) && paidBy(step, part) && is(token, part)),
    )
  const nft = (side: (part: Part) => boolean) => (part: Part) =>
    side(part) && part.token === step.manager && part.tokenId === step.tokenId
  const put = taking(step.put, isGiven)
  const principal = taking(step.principal, isReceived)
  const fees = taking(step.fees, isReceived)
  const into = put.length > 0 ? [...put, ...orNamed(rest.take(nft(isReceived)), step, put)] : []
  const burned = principal.length > 0 || fees.length > 0 ? rest.take(nft(isGiven)) : []
  const back = principal.length > 0 ? [...principal, ...orNamed(burned, step, principal)] : burned
  const called = step.reduced && calls.some(({ to }) => step.payers.includes(to))
  return [
    ...(into.length > 0 ? [legOf('ADDLIQUIDITY', 'move', protocol, into)] : []),
    ...(back.length > 0 || called ? [legOf('REMOVELIQUIDITY', 'move', protocol, back)] : []),
    ...(fees.length > 0 ? [legOf('COLLECT', 'income', protocol, fees)] : []),
  ]
}

/** The NFT if it moved, otherwise a zero amount of it, which shows to which position the other changes belong. */
function orNamed(moved: readonly Part[], { manager, tokenId }: NftStep, others: readonly Part[]): readonly Part[] {
  return moved.length > 0 ? moved : [positionPart({ contract: manager, id: tokenId }, others)]
}

const paidBy = ({ payers }: NftStep, { counterparty }: Part) => payers.includes(counterparty)

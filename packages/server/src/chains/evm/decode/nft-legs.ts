import type { Address } from '../../../domain/address.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../domain/position.ts'
import { isGiven, isReceived, legOf } from '../../legs.ts'
import { type Leg, type Part, positionPart, type Remainder } from './changes.ts'
import { withoutWrap } from './contract-directory.ts'
import type { NftStep } from './protocol-history.ts'
import { PURPOSE_TYPES } from './purpose-legs.ts'
import type { Scene } from './scene.ts'

/** Payments count between wallet and pool or manager, or its router if the NFT moved. A vault's own NFTs do not. */
export function nftLegs(scene: Scene, rest: Remainder): Leg[] {
  const { tx, calls, directory } = scene
  // Called contracts come first: one that keeps NFTs for wallets may log nothing.
  const speakers = [...calls.map(({ to }) => to), ...tx.logs.map(({ address }) => address)]
  const deployments = new Set(speakers.flatMap((address) => directory.deploymentOf(address) ?? []))
  return [...deployments].flatMap((deployment) => {
    const isOwn = (address: EvmAddress) => directory.deploymentOf(address) === deployment
    const steps = deployment.history.nftSteps?.(tx.logs, scene.wallet, isOwn) ?? []
    return steps.flatMap((step) => stepLegs(scene, rest, step, deployment.key))
  })
}

function stepLegs(scene: Scene, rest: Remainder, step: NftStep, protocol: string): Leg[] {
  const { calls } = scene
  const nft = (side: (part: Part) => boolean) => (part: Part) =>
    side(part) && part.token === step.manager && part.tokenId === step.tokenId
  const { put, principal, fees } = paymentsOf(scene, rest, step)
  const into = put.length > 0 ? [...put, ...orNamed(rest.take(nft(isReceived)), step, put)] : []
  const burned = principal.length > 0 || fees.length > 0 ? rest.take(nft(isGiven)) : []
  const back = principal.length > 0 ? [...principal, ...orNamed(burned, step, principal)] : burned
  const [got, given] = PURPOSE_TYPES[step.purpose ?? 'liquidity']
  const called = step.reduced && calls.some(({ to }) => step.payers.includes(to))
  return [
    ...(into.length > 0 ? [legOf(got, 'move', protocol, into)] : []),
    ...(back.length > 0 || called ? [legOf(given, 'move', protocol, back)] : []),
    ...(fees.length > 0 ? [legOf('COLLECT', 'income', protocol, fees)] : []),
  ]
}

type Payments = { put: Part[]; principal: Part[]; fees: Part[] }

function paymentsOf(scene: Scene, rest: Remainder, step: NftStep): Payments {
  const moved = rest.all().some((part) => part.token === step.manager && part.tokenId === step.tokenId)
  const payers = new Set([...step.payers, ...(moved ? scene.calls.map(({ to }) => to) : [])])
  const taking = (amounts: readonly TokenAmount[], side: (part: Part) => boolean) =>
    amounts.flatMap(({ token, amountRaw }) =>
      rest.takeUpTo(
        amountRaw,
        (part) => side(part) && payers.has(part.counterparty) && isSame(scene, token, part.token),
      ),
    )
  const said = {
    put: taking(step.put, isGiven),
    principal: taking(step.principal, isReceived),
    fees: taking(step.fees, isReceived),
  }
  return step.rest ? withRest(said, rest, { ...step.rest, payers }) : said
}

function withRest(
  said: Payments,
  rest: Remainder,
  { as, token, payers }: NonNullable<NftStep['rest']> & { payers: ReadonlySet<EvmAddress> },
): Payments {
  const take = (wanted: (part: Part) => boolean) =>
    rest.take((part) => {
      const isPayment = part.tokenId === null && payers.has(part.counterparty)
      return isPayment && (token === undefined || part.token === token) && wanted(part)
    })
  if (as !== 'put') return { ...said, [as]: [...said[as], ...take(isReceived)] }
  const given = take(isGiven)
  const back = take((part) => isReceived(part) && given.some((one) => one.token === part.token))
  return { ...said, put: [...said.put, ...given, ...back], fees: [...said.fees, ...take(isReceived)] }
}

const isSame = ({ directory }: Scene, one: Address, other: Address) =>
  withoutWrap(directory, one) === withoutWrap(directory, other)

function orNamed(moved: readonly Part[], { manager, tokenId }: NftStep, others: readonly Part[]): readonly Part[] {
  return moved.length > 0 ? moved : [positionPart({ contract: manager, id: tokenId }, others)]
}

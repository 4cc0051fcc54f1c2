import type { EvmAddress } from '../../../domain/evm-address.ts'
import { isGiven, isReceived, legOf, magnitude, sizeOf } from '../../legs.ts'
import type { ProtocolDeployment } from '../protocols/adapter.ts'
import { type Leg, type Part, positionPart, type Remainder } from './changes.ts'
import { type ContractDirectory, type KnownContract, withoutWrap } from './contract-directory.ts'
import type { DebtStep, PositionKey, PositionStep } from './protocol-history.ts'
import { PURPOSE_TYPES } from './purpose-legs.ts'
import type { LoggedStep, Scene } from './scene.ts'

type Kind<K extends PositionStep['kind']> = Extract<PositionStep, { kind: K }>

/** A step takes transfers up to the logged amount, also through a router. */
export function positionLegs(scene: Scene, rest: Remainder, steps: readonly LoggedStep[]): Leg[] {
  return steps.flatMap(({ deployment: { key }, step }) => {
    switch (step.kind) {
      case 'put':
      case 'take':
        return moveLegs(scene, rest, step, key)
      case 'request':
        return requestLegs(rest, step, key)
      case 'put-nft':
      case 'take-nft':
        return nftMoveLegs(rest, step, key)
      case 'reissue':
        return reissueLegs(rest, step, key)
      case 'claim':
        return claimLegs(scene, rest, step, key)
      case 'send':
      case 'receive':
        return passLegs(rest, step)
      case 'liquidated':
        return [liquidationLeg(rest, step, key)]
      case 'seized':
        return seizureLegs(rest, step, key)
      default:
        return []
    }
  })
}

function moveLegs(scene: Scene, rest: Remainder, step: Kind<'put' | 'take'>, protocol: string): Leg[] {
  const { kind, purpose, position } = step
  const side = kind === 'put' ? isGiven : isReceived
  const isWanted = (part: Part) => side(part) && isOf(scene, step.token, part)
  const isDirect = (part: Part) => isWanted(part) && part.counterparty === position.contract
  // A reward of the same token may come before the stake.
  const whole = rest.takeUpTo(step.amountRaw, (part) => isDirect(part) && magnitude(part) === step.amountRaw)
  const direct = whole.length > 0 ? whole : rest.takeUpTo(step.amountRaw, isDirect, ROUNDING)
  const left = step.amountRaw - sizeOf(direct)
  const others = left > 0n ? rest.takeUpTo(left, isWanted) : []
  const moved = [...direct, ...others]
  if (moved.length === 0) return []
  const type = PURPOSE_TYPES[purpose][kind === 'put' ? 0 : 1]
  return [legOf(type, 'move', protocol, [...moved, positionPart(position, moved)])]
}

/** The receipt becomes the amount due, which enters the position at equal cost, without a change of balances. */
function requestLegs(rest: Remainder, step: Kind<'request'>, protocol: string): Leg[] {
  const { purpose, position, receipt, due } = step
  const given = rest.takeUpTo(receipt.amountRaw, (part) => isGiven(part) && part.token === receipt.token)
  if (given.length === 0 || due.amountRaw === 0n) return []
  const place = Math.max(...given.map((part) => part.place))
  const got = passing(position, due, place)
  const put = { ...got, amountRaw: -due.amountRaw }
  const [type] = PURPOSE_TYPES[purpose]
  return [
    legOf(type, 'move', protocol, [...given, got]),
    legOf(type, 'move', protocol, [put, positionPart(position, [put])]),
  ]
}

function passing(
  { contract }: PositionKey,
  { token, amountRaw }: { token: EvmAddress; amountRaw: bigint },
  place: number,
): Part {
  return { token, tokenId: null, amountRaw, counterparty: contract, debt: false, place }
}

/** An NFT keeps its cost wherever it lies. */
function nftMoveLegs(rest: Remainder, step: Kind<'put-nft' | 'take-nft'>, protocol: string): Leg[] {
  const side = step.kind === 'put-nft' ? isGiven : isReceived
  const moved = rest.take((part) => side(part) && part.token === step.manager && part.tokenId === step.tokenId)
  const type = PURPOSE_TYPES[step.purpose][step.kind === 'put-nft' ? 0 : 1]
  return moved.length > 0 ? [legOf(type, 'move', protocol, moved)] : []
}

/** Balances do not change. */
function reissueLegs(rest: Remainder, step: Kind<'reissue'>, protocol: string): Leg[] {
  const { purpose, manager, tokenId, token, into } = step
  const takeNft = (side: (part: Part) => boolean, id: bigint) =>
    rest.take((part) => side(part) && part.token === manager && part.tokenId === id)
  const given = takeNft(isGiven, tokenId)
  if (given.length === 0) return []
  const legWith = (parts: readonly Part[]) => legOf(PURPOSE_TYPES[purpose][0], 'move', protocol, parts)
  const place = Math.max(...given.map((part) => part.place))
  const partOf = (amountRaw: bigint) => passing({ contract: manager, id: tokenId }, { token, amountRaw }, place)
  const total = into.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)
  const put = into.map(({ tokenId: id, amountRaw }) => {
    const part = partOf(-amountRaw)
    const got = takeNft(isReceived, id)
    return legWith([part, ...(got.length > 0 ? got : [positionPart({ contract: manager, id }, [part])])])
  })
  return [legWith([...given, partOf(total)]), ...put]
}

function claimLegs(scene: Scene, rest: Remainder, { token, amountRaw }: Kind<'claim'>, protocol: string): Leg[] {
  const paid = rest.takeUpTo(amountRaw, (part) => isReceived(part) && isOf(scene, token, part))
  return paid.length > 0 ? [legOf('CLAIM', 'income', protocol, paid)] : []
}

function passLegs(rest: Remainder, { kind, token, amountRaw, other }: Kind<'send' | 'receive'>): Leg[] {
  const side = kind === 'send' ? isGiven : isReceived
  const moved = rest
    .takeUpTo(amountRaw, (part) => side(part) && part.token === token)
    .map((part) => ({ ...part, counterparty: other ?? part.counterparty }))
  if (moved.length === 0) return []
  return [kind === 'send' ? legOf('TRANSFEROUT', 'send', null, moved) : legOf('TRANSFERIN', 'acquire', null, moved)]
}

function liquidationLeg(rest: Remainder, { position, rest: credited }: Kind<'liquidated'>, protocol: string): Leg {
  const paid = credited
    ? rest.takeUpTo(credited.amountRaw, (part) => isReceived(part) && part.token === credited.token)
    : []
  return legOf('REPAYVAULT', 'repay', protocol, [positionPart(position, paid), ...paid])
}

/** Seized collateral is sold for the debt. Nothing moves in the wallet. */
function seizureLegs(rest: Remainder, { position, taken, relieved }: Kind<'seized'>, protocol: string): Leg[] {
  if (taken.amountRaw === 0n || relieved.amountRaw === 0n) return []
  const place = Math.max(0, ...rest.all().map((part) => part.place + 1))
  const partOf = ({ token, amountRaw }: typeof taken, sign: bigint) =>
    passing(position, { token, amountRaw: sign * amountRaw }, place)
  const legWith = (treatment: 'move' | 'swap' | 'repay', parts: readonly Part[]) =>
    legOf('REPAYVAULT', treatment, protocol, parts)
  const out = partOf(taken, 1n)
  const repaid = partOf(relieved, -1n)
  return [
    legWith('move', [out, positionPart(position, [out])]),
    legWith('swap', [partOf(taken, -1n), partOf(relieved, 1n)]),
    legWith('repay', [repaid, positionPart(position, [repaid])]),
  ]
}

const isOf = ({ directory }: Scene, token: Part['token'], part: Part) =>
  part.tokenId === null && withoutWrap(directory, part.token) === withoutWrap(directory, token)

/** Base units: contracts that count shares may move slightly more or less than logged. */
const ROUNDING = 2n

type Debt = { deployment: ProtocolDeployment; tokens: readonly EvmAddress[]; step: DebtStep }

export function debtLegs(scene: Scene, rest: Remainder, steps: readonly LoggedStep[]): Leg[] {
  return [
    ...tokenDebts(scene, rest).map(({ at, own, amountRaw }) => {
      const step: DebtStep = amountRaw > 0n ? { kind: 'borrow', amountRaw } : { kind: 'repay', amountRaw: -amountRaw }
      return debtLeg(scene, rest, { deployment: at.deployment, tokens: at.protocolContract.underlyings, step }, own)
    }),
    ...steps.flatMap(loggedDebts).map((debt) => debtLeg(scene, rest, debt, [])),
  ]
}

function tokenDebts({ directory }: Scene, rest: Remainder) {
  const tokens = new Set(rest.all().flatMap(({ token, debt }) => (debt ? [token] : [])))
  return [...tokens].flatMap((token) => {
    const at = directory.protocolContractOf(token)
    const own = rest.take((part) => part.token === token)
    return at ? [{ at, own, amountRaw: own.reduce((sum, part) => sum + part.amountRaw, 0n) }] : []
  })
}

function loggedDebts({ deployment, protocolContract, step }: LoggedStep): Debt[] {
  if (step.kind !== 'borrow' && step.kind !== 'repay' && step.kind !== 'liquidate') return []
  const token = step.kind === 'liquidate' ? undefined : step.token
  return [{ deployment, tokens: token === undefined ? (protocolContract?.underlyings ?? []) : [token], step }]
}

function debtLeg(scene: Scene, rest: Remainder, debt: Debt, own: readonly Part[]): Leg {
  const { deployment, tokens, step } = debt
  const ofDebt = ({ token }: Part) => isOneOf(scene.directory, tokens, token)
  if (step.kind === 'borrow') {
    const got = rest.takeUpTo(step.amountRaw, (part) => isReceived(part) && ofDebt(part), ROUNDING)
    return legOf('BORROW', 'borrow', deployment.key, atPosition(step, [...own, ...got]))
  }
  const paid =
    step.kind === 'repay' ? rest.takeUpTo(step.amountRaw, (part) => isGiven(part) && ofDebt(part), ROUNDING) : []
  const collateral = paid.length > 0 ? [] : takeCollateral(scene, rest, debt)
  return legOf('REPAYVAULT', 'repay', deployment.key, atPosition(step, [...own, ...paid, ...collateral]))
}

function atPosition(step: DebtStep, parts: readonly Part[]): readonly Part[] {
  const position = step.kind === 'liquidate' ? undefined : step.position
  return position && parts.length > 0 ? [...parts, positionPart(position, parts)] : parts
}

/** Other collateral than of the same coin repays only in a liquidation. */
function takeCollateral({ directory }: Scene, rest: Remainder, { deployment, tokens, step }: Debt): Part[] {
  if (step.kind === 'liquidate') return rest.take((part) => isGiven(part) && part.token === step.collateral)
  const receiptOf = (part: Part): KnownContract | undefined => {
    const known = isGiven(part) ? directory.protocolContractOf(part.token) : undefined
    return known?.deployment === deployment ? known : undefined
  }
  const isSame = (part: Part) => {
    const underlyings = receiptOf(part)?.protocolContract.underlyings ?? []
    return underlyings.some((token) => isOneOf(directory, tokens, token))
  }
  const same = rest.takeUpTo(step.amountRaw, isSame, ROUNDING)
  return same.length > 0 ? same : rest.take((part) => receiptOf(part) !== undefined)
}

function isOneOf(directory: ContractDirectory, tokens: readonly EvmAddress[], token: EvmAddress): boolean {
  return tokens.some((one) => withoutWrap(directory, one) === withoutWrap(directory, token))
}

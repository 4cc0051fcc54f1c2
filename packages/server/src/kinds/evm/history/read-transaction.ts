import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { ChainTransaction, Movement, WalletTransaction } from '../../../domain/transaction.ts'
import { createRemainder, movementsOf } from '../../legs.ts'
import type { HistoryBook } from './book.ts'
import { changesOf } from './changes.ts'
import { debtLegs } from './debt-legs.ts'
import { gateLegs } from './gate-legs.ts'
import type { Leg } from './legs.ts'
import { nftLegs } from './nft-legs.ts'
import { plainLegs } from './plain-legs.ts'
import { positionLegs } from './position-legs.ts'
import { purposeLegs } from './purpose-legs.ts'
import { type Scene, sceneOf } from './scene.ts'
import { stepsIn } from './steps.ts'
import { typeOf } from './transaction-type.ts'

/**
 * What a transaction did in a wallet: every change of its tokens as movements, in order, gas last, and the type. The
 * movements of a token sum to the change of its balance; those of a rebasing token are principal only, without the
 * interest that its contract settles on the way. Never throws: logs are untrusted.
 */
export function readTransaction(tx: ChainTransaction, wallet: EvmAddress, book: HistoryBook): WalletTransaction {
  const { logs: _, nativeTransfers: __, calls: ___, ...facts } = tx
  const scene = sceneOf(tx, wallet, book)
  const legs = tx.succeeded ? legsOf(scene) : []
  const { type, protocol } = typeOf(scene, legs)
  return { ...facts, type, protocol, movements: [...movementsOf(legs), ...feeOf(scene, legs.length)] }
}

function legsOf(scene: Scene): Leg[] {
  const rest = createRemainder(changesOf(scene.tx, scene.wallet, scene.book))
  const steps = stepsIn(scene)
  const known = [
    ...nftLegs(scene, rest),
    ...positionLegs(scene, rest, steps),
    ...debtLegs(scene, rest, steps),
    ...purposeLegs(scene, rest),
    ...gateLegs(scene, rest),
  ]
  return [...known, ...plainLegs(scene, rest, known)]
}

function feeOf({ tx, wallet }: Scene, leg: number): Movement[] {
  if (tx.from !== wallet || tx.feeRaw === 0n) return []
  return [
    { token: NATIVE, tokenId: null, amountRaw: -tx.feeRaw, counterparty: null, debt: false, leg, treatment: 'fee' },
  ]
}

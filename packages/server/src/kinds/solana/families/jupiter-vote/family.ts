import type { PositionDraft } from '../../../../domain/position.ts'
import { type AccountData, type AccountLayout, ofKind, openAccount } from '../../codec/account-data.ts'
import { addressBytes } from '../../codec/address-bytes.ts'
import { programAddress } from '../../codec/program-address.ts'
import type { SolanaFamily } from '../family.ts'

const PROGRAM = 'voTpe3tHQ7AjQHMapgSue2HJFAh2cGsdokqN3XqmVSj'
const LOCKER = 'CVMdMd79no569tjc5Sq7kzz8isbfCcFyBS5TLGsrZ5dN'
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'

const escrowField = { owner: 40, amount: 105, endsAt: 121, isMaxLock: 161, unstaking: 162 } as const

const ESCROW: AccountLayout = {
  what: 'escrow of Jupiter votes',
  programs: [PROGRAM],
  discriminator: '6Kq5Q7N59ES',
  minLength: 322,
}

const unstakingField = { escrow: 8, amount: 40, expiration: 48 } as const

const UNSTAKING = {
  what: 'unstaking of Jupiter votes',
  programs: [PROGRAM],
  discriminator: 'VsA6r8ovLFY',
  minLength: 152,
} satisfies AccountLayout

/**
 * JUP locked to vote, at an address derived from the wallet. A maximum lock has no unlock date until it is ended.
 * Partial withdrawals have their dates if the program is searched for the wallet; otherwise they are one sum without a
 * date.
 */
export const jupiterVote: SolanaFamily = {
  name: 'jupiter_vote',
  key: 'jupiter_dao',
  title: 'Jupiter DAO',
  siteUrl: 'https://vote.jup.ag',
  searched: [PROGRAM],

  async positions({ reader, wallet, used }) {
    const address = programAddress(PROGRAM, ['Escrow', addressBytes(LOCKER), addressBytes(wallet)])
    const [[account], parts] = await Promise.all([
      reader.accounts([address]),
      used.has(PROGRAM)
        ? reader.programAccounts(PROGRAM, [
            ofKind(UNSTAKING.discriminator),
            { offset: unstakingField.escrow, bytes: address },
          ])
        : [],
    ])
    if (!account) return []
    const escrow = openAccount(account, ESCROW)
    const leaving = parts.map((part) => openAccount(part, UNSTAKING))
    const isUntold = leaving.length === 0
    return [
      ...locked('Locked JUP', escrow, escrow.u64(escrowField.amount), opensAt(escrow)),
      ...leaving.flatMap((part) =>
        locked('Unstaking JUP', part, part.u64(unstakingField.amount), Number(part.i64(unstakingField.expiration))),
      ),
      ...(isUntold ? locked('Unstaking JUP', escrow, escrow.u64(escrowField.unstaking), undefined) : []),
    ]
  },
}

const opensAt = (escrow: AccountData) =>
  escrow.flag(escrowField.isMaxLock) ? undefined : Number(escrow.i64(escrowField.endsAt))

function locked(label: string, data: AccountData, amountRaw: bigint, unlockAt: number | undefined): PositionDraft[] {
  if (amountRaw === 0n) return []
  const supplied = [{ token: JUP, amountRaw }]
  const base = { kind: 'locked' as const, label, pool: data.address, supplied, borrowed: [], rewards: [], receipts: [] }
  return [unlockAt === undefined || unlockAt === 0 ? base : { ...base, unlockAt }]
}

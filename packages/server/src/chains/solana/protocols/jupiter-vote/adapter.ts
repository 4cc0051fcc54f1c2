import type { PositionDraft } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { anchorLayout, readAccount } from '../../codec/account-data.ts'
import { addressBytes, programAddress } from '../../codec/address.ts'
import { searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'

const PROGRAM = 'voTpe3tHQ7AjQHMapgSue2HJFAh2cGsdokqN3XqmVSj'
const LOCKER = 'CVMdMd79no569tjc5Sq7kzz8isbfCcFyBS5TLGsrZ5dN'
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'

const ESCROW = anchorLayout('escrow of Jupiter votes', PROGRAM, '6Kq5Q7N59ES', 322, {
  amount: ['u64', 105],
  endsAt: ['i64', 121],
  isMaxLock: ['flag', 161],
  unstaking: ['u64', 162],
})

/** `owner`: the escrow. */
const UNSTAKING = anchorLayout('unstaking of Jupiter votes', PROGRAM, 'VsA6r8ovLFY', 152, {
  owner: ['key', 8],
  amount: ['u64', 40],
  expiration: ['i64', 48],
})

/** A maximum lock has no unlock date. Withdrawals have dates only if the program is searched. */
export const jupiterVote: SolanaAdapter = {
  key: 'jupiter_dao',
  title: 'Jupiter DAO',
  siteUrl: 'https://vote.jup.ag',
  searched: [PROGRAM],

  async positions(scope) {
    const { reader, wallet } = scope
    const address = programAddress(PROGRAM, ['Escrow', addressBytes(LOCKER), addressBytes(wallet)])
    const [[account], leaving] = await Promise.all([
      reader.accounts([address]),
      searchAccounts(scope, UNSTAKING, address),
    ])
    if (!account) return []
    const { amount, endsAt, isMaxLock, unstaking } = readAccount(account, ESCROW)
    return [
      locked('Locked JUP', address, amount, isMaxLock ? 0n : endsAt),
      ...leaving.map((part) => locked('Unstaking JUP', part.address, part.amount, part.expiration)),
      ...(leaving.length === 0 ? [locked('Unstaking JUP', address, unstaking, 0n)] : []),
    ]
  },
}

/** `until`: Unix seconds; 0 if unknown. */
const locked = (label: string, pool: SolanaAddress, amountRaw: bigint, until: bigint): PositionDraft => ({
  kind: 'locked',
  label,
  pool,
  supplied: [{ token: JUP, amountRaw }],
  ...(until !== 0n && { unlockAt: Number(until) }),
})

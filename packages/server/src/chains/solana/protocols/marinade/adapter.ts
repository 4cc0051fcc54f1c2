import type { PositionDraft } from '../../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountOf, anchorLayout, readAccount } from '../../codec/account-data.ts'
import { SLOTS_PER_EPOCH, type SolanaClock } from '../../codec/clock.ts'
import { searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { readShareTokens, type Share, type ShareScope } from '../share-tokens.ts'

const PROGRAM = 'MarBmsSgKXdrN1egZf5sqe1TMai9K1rChYNDJgjq7aD'
const STATE_ADDRESS = '8szGkuLTAux9XMgZ2vtY39jVSowEcpBfFfD8hXSEqdGC'
const MSOL = 'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So'

const STATE = anchorLayout('state of Marinade', PROGRAM, 'dE27dVH2wR2', 576, {
  delayedUnstakeCoolingDown: ['u64', 226],
  totalActiveBalance: ['u64', 376],
  availableReserveBalance: ['u64', 496],
  msolSupply: ['u64', 504],
  circulatingTicketBalance: ['u64', 528],
  emergencyCoolingDown: ['u64', 568],
})

const TICKET = anchorLayout('ticket of Marinade', PROGRAM, 'PJBs1QeXfQN', 88, {
  owner: ['key', 40],
  lamports: ['u64', 72],
  createdEpoch: ['u64', 80],
})

/** Epoch ends are estimates. */
const MS_PER_SLOT = 400n
/** A ticket is paid 45 minutes into the epoch after its own. */
const EXTRA_WAIT_SECONDS = 45n * 60n

const msol = readShareTokens('staked', readShares)

/** mSOL counts at the protocol's own rate, rounded down. */
export const marinade: SolanaAdapter = {
  key: 'marinade',
  title: 'Marinade',
  siteUrl: 'https://marinade.finance',
  searched: [PROGRAM],

  async positions(scope) {
    const [staked, tickets] = await Promise.all([msol.positions(scope), searchAccounts(scope, TICKET)])
    return [...staked, ...tickets.map((ticket) => ticketPosition(ticket, scope.clock))]
  },

  receipts: msol.receipts,
}

function ticketPosition(ticket: AccountOf<typeof TICKET>, clock: SolanaClock): PositionDraft {
  const { address, lamports, createdEpoch } = ticket
  const slotsLeft = (createdEpoch + 1n) * SLOTS_PER_EPOCH - clock.slot
  return {
    kind: 'locked',
    label: 'Delayed unstake',
    pool: address,
    supplied: [{ token: NATIVE_SOL, amountRaw: lamports }],
    unlockAt: clock.time + Number((slotsLeft * MS_PER_SLOT) / 1000n + EXTRA_WAIT_SECONDS),
  }
}

async function readShares({ reader, held }: ShareScope): Promise<Map<SolanaAddress, Share>> {
  if (!held.some(({ mint }) => mint === MSOL)) return new Map()
  const [account] = await reader.accounts([STATE_ADDRESS])
  const state = readAccount(account, STATE)
  const controlled =
    state.totalActiveBalance +
    state.delayedUnstakeCoolingDown +
    state.emergencyCoolingDown +
    state.availableReserveBalance
  const owed = state.circulatingTicketBalance
  const staked = controlled > owed ? controlled - owed : 0n
  const supply = state.msolSupply
  const decompose = (amountRaw: bigint) => [
    { token: NATIVE_SOL, amountRaw: supply === 0n ? amountRaw : (amountRaw * staked) / supply },
  ]
  return new Map([[MSOL, { label: 'mSOL', pool: STATE_ADDRESS, decompose }]])
}

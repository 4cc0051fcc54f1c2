import type { PositionDraft } from '../../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, ofKind, openAccount, openExisting } from '../../codec/account-data.ts'
import type { SolanaReader } from '../../reader/solana-reader.ts'
import type { Receipt, SolanaFamily, SolanaScope } from '../family.ts'
import { SLOTS_PER_EPOCH } from '../slot-time.ts'
import { marinadeState as field } from './layout.ts'

const PROGRAM = 'MarBmsSgKXdrN1egZf5sqe1TMai9K1rChYNDJgjq7aD'
const STATE = '8szGkuLTAux9XMgZ2vtY39jVSowEcpBfFfD8hXSEqdGC'
const MSOL = 'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So'

const STATE_LAYOUT: AccountLayout = {
  what: 'state of Marinade',
  programs: [PROGRAM],
  discriminator: 'dE27dVH2wR2',
  minLength: field.emergencyCoolingDown + 8,
}

const TICKET = 'PJBs1QeXfQN'
const BENEFICIARY = 40
const LAMPORTS = 72
const CREATED_EPOCH = 80
const TICKET_LAYOUT: AccountLayout = {
  what: 'ticket of Marinade',
  programs: [PROGRAM],
  discriminator: TICKET,
  minLength: CREATED_EPOCH + 8,
}

/** The pace that the cluster aims at; when an epoch ends can only be estimated. */
const MS_PER_SLOT = 400n
/** How far into the epoch after its own a ticket is paid. */
const EXTRA_WAIT_SECONDS = 45n * 60n

/**
 * Marinade: mSOL at the protocol's own rate of stake to supply, rounded down, and what is being unstaked with a delay. A ticket
 * is locked until 45 minutes into the epoch after the one it was made in; when that is, is an estimate from the pace of slots.
 */
export const marinade: SolanaFamily = {
  name: 'marinade',
  key: 'marinade',
  title: 'Marinade',
  siteUrl: 'https://marinade.finance',
  searched: [PROGRAM],

  async positions(scope) {
    const { reader, held, used } = scope
    const [staked, tickets] = await Promise.all([
      readReceipts(scope),
      used.has(PROGRAM)
        ? reader.programAccounts(PROGRAM, [ofKind(TICKET), { offset: BENEFICIARY, bytes: scope.wallet }])
        : [],
    ])
    const msol = held.find(({ mint }) => mint === MSOL)
    const supplied = msol && staked.get(MSOL)?.decompose(msol.amountRaw)
    const stake: PositionDraft[] = supplied
      ? [{ kind: 'staked', label: 'mSOL', pool: STATE, supplied, borrowed: [], rewards: [], receipts: [MSOL] }]
      : []
    return [...stake, ...tickets.map((account) => ticketPosition(openAccount(account, TICKET_LAYOUT), scope))]
  },

  receipts: readReceipts,
}

function ticketPosition(ticket: AccountData, { clock }: SolanaScope): PositionDraft {
  const dueSlot = (ticket.u64(CREATED_EPOCH) + 1n) * SLOTS_PER_EPOCH
  const due = BigInt(clock.time) + ((dueSlot - clock.slot) * MS_PER_SLOT) / 1000n + EXTRA_WAIT_SECONDS
  return {
    kind: 'locked',
    label: 'Delayed unstake',
    pool: ticket.address,
    supplied: [{ token: NATIVE_SOL, amountRaw: ticket.u64(LAMPORTS) }],
    borrowed: [],
    rewards: [],
    receipts: [],
    unlockAt: Number(due),
  }
}

async function readReceipts({
  reader,
  held,
}: {
  reader: SolanaReader
  held: SolanaScope['held']
}): Promise<Map<SolanaAddress, Receipt>> {
  if (!held.some(({ mint }) => mint === MSOL)) return new Map()
  const [account] = await reader.accounts([STATE])
  const state = openExisting(account, STATE_LAYOUT)
  const supply = state.u64(field.msolSupply)
  const staked = stakedLamports(state)
  const decompose = (amountRaw: bigint) => [
    { token: NATIVE_SOL, amountRaw: supply === 0n ? amountRaw : (amountRaw * staked) / supply },
  ]
  return new Map([[MSOL, { decompose }]])
}

/** All that the pool controls, less what it owes to tickets. */
function stakedLamports(state: AccountData): bigint {
  const controlled =
    state.u64(field.totalActiveBalance) +
    state.u64(field.delayedUnstakeCoolingDown) +
    state.u64(field.emergencyCoolingDown) +
    state.u64(field.availableReserveBalance)
  const owed = state.u64(field.circulatingTicketBalance)
  return controlled > owed ? controlled - owed : 0n
}

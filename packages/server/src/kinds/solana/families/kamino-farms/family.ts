import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, ofKind, openAccount, openExisting } from '../../codec/account-data.ts'
import type { SolanaFamily } from '../family.ts'

const PROGRAM = 'FarmsPZpWu9i7Kky8tPN37rs2TpmMrAZrC7S7vJa91Hr'

/** `tallies`: ten u128. `unclaimed`: ten u64. Stakes are times 10^18, but for farms that only follow another program's amounts. */
const userField = {
  farm: 16,
  owner: 48,
  isDelegated: 80,
  tallies: 88,
  unclaimed: 248,
  active: 408,
  warming: 424,
  cooling: 448,
  coolingUntil: 464,
} as const

const USER = {
  what: 'user of a farm of Kamino',
  programs: [PROGRAM],
  discriminator: 'DADCsHyKsrD',
  minLength: 920,
} satisfies AccountLayout

/** `rewards`: ten of 704 bytes; in each the mint comes first. */
const farmField = { mint: 72, rewards: 192, rewardSize: 704, perShare: 512, rewardCount: 7232 } as const

const FARM: AccountLayout = {
  what: 'farm of Kamino',
  programs: [PROGRAM],
  discriminator: 'aBkEUZSn9DF',
  minLength: 8336,
}

const WAD = 10n ** 18n

/**
 * Kamino's farms: what is staked in each, what is being unstaked, and rewards as the farm last counted them. If a farm
 * follows amounts lent elsewhere (an obligation's collateral), only the rewards are its own.
 */
export const kaminoFarms: SolanaFamily = {
  name: 'kamino_farms',
  key: 'kamino_farms',
  title: 'Kamino Farms',
  siteUrl: 'https://kamino.com',
  searched: [PROGRAM],

  async positions({ reader, wallet, used }) {
    if (!used.has(PROGRAM)) return []
    const found = await reader.programAccounts(PROGRAM, [
      ofKind(USER.discriminator),
      { offset: userField.owner, bytes: wallet },
    ])
    const users = found.map((account) => openAccount(account, USER))
    const addresses = [...new Set(users.map((user) => user.key(userField.farm)))]
    const accounts = await reader.accounts(addresses)
    const farms = new Map<SolanaAddress, AccountData>(
      addresses.map((address, index) => [address, openExisting(accounts[index], FARM)]),
    )
    return users.flatMap((user) => {
      const farm = farms.get(user.key(userField.farm))
      return farm ? positionsIn(farm, user) : []
    })
  },
}

function positionsIn(farm: AccountData, user: AccountData): PositionDraft[] {
  const isDelegated = user.flag(userField.isDelegated)
  const token = farm.key(farmField.mint)
  const staked = isDelegated ? 0n : (user.u128(userField.active) + user.u128(userField.warming)) / WAD
  const cooling = isDelegated ? 0n : user.u128(userField.cooling) / WAD
  const rewards = rewardsOf(farm, user, isDelegated)
  const base = { label: 'Farm', pool: farm.address, borrowed: [], receipts: [] }
  const supplied = staked > 0n ? [{ token, amountRaw: staked }] : []
  return [
    ...(supplied.length + rewards.length > 0 ? [{ ...base, kind: 'farming' as const, supplied, rewards }] : []),
    ...(cooling > 0n
      ? [
          {
            ...base,
            kind: 'locked' as const,
            supplied: [{ token, amountRaw: cooling }],
            rewards: [],
            unlockAt: Number(user.u64(userField.coolingUntil)),
          },
        ]
      : []),
  ]
}

function rewardsOf(farm: AccountData, user: AccountData, isDelegated: boolean): TokenAmount[] {
  const active = user.u128(userField.active)
  const count = Number(farm.u64(farmField.rewardCount))
  return Array.from({ length: count }, (_, index) => {
    const at = farmField.rewards + index * farmField.rewardSize
    const earned = (active * farm.u128(at + farmField.perShare)) / (isDelegated ? 1n : WAD)
    const since = earned - user.u128(userField.tallies + index * 16)
    const amountRaw = user.u64(userField.unclaimed + index * 8) + (since > 0n ? since / WAD : 0n)
    return { token: farm.key(at), amountRaw }
  }).filter(({ amountRaw }) => amountRaw > 0n)
}

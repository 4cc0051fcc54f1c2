import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { type AccountData, anchorLayout, invalid, openExisting, places, struct } from '../../codec/account-data.ts'
import { readAccounts, searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'
import { nonZero } from '../amounts.ts'

const PROGRAM = 'FarmsPZpWu9i7Kky8tPN37rs2TpmMrAZrC7S7vJa91Hr'

const USER = anchorLayout('user of a farm of Kamino', PROGRAM, 'DADCsHyKsrD', 920)
const OWNER_OFFSET = 48
/** Stakes are times 10^18, except in delegated farms. */
const userFields = struct({
  farm: ['key', 16],
  isDelegated: ['flag', 80],
  active: ['u128', 408],
  warming: ['u128', 424],
  cooling: ['u128', 448],
  coolingUntil: ['u64', 464],
})
/** A farm has at most ten rewards. */
const USER_TALLIES = 88
const USER_UNCLAIMED = 248

const FARM = anchorLayout('farm of Kamino', PROGRAM, 'aBkEUZSn9DF', 8336)
const farmFields = struct({ token: ['key', 72], rewardCount: ['u64', 7232] })
const REWARDS = 192
const MOST_REWARDS = 10
const REWARD_BYTES = 704
const rewardFields = struct({ token: ['key', 0], perShare: ['u128', 512] })

const WAD = 10n ** 18n

/** A delegated farm follows amounts lent elsewhere: only the rewards are its own. */
export const kaminoFarms: SolanaAdapter = {
  name: 'kamino_farms',
  key: 'kamino_farms',
  title: 'Kamino Farms',
  siteUrl: 'https://kamino.com',
  searched: [PROGRAM],

  async positions(scope) {
    const users = await searchAccounts(scope, USER, OWNER_OFFSET)
    const farms = await readAccounts(
      scope.reader,
      users.map((user) => userFields(user).farm),
    )
    return users.flatMap((user) => positionsIn(openExisting(farms.get(userFields(user).farm), FARM), user))
  },
}

function positionsIn(farm: AccountData, user: AccountData): PositionDraft[] {
  const { isDelegated, active, warming, cooling, coolingUntil } = userFields(user)
  const { token } = farmFields(farm)
  const staked = isDelegated ? 0n : (active + warming) / WAD
  const leaving = isDelegated ? 0n : cooling / WAD
  const rewards = rewardsOf(farm, user)
  const base = { label: 'Farm', pool: farm.address }
  const supplied = nonZero([{ token, amountRaw: staked }])
  const unlocking = { supplied: [{ token, amountRaw: leaving }], unlockAt: Number(coolingUntil) }
  return [
    ...(supplied.length + rewards.length > 0 ? [{ ...base, kind: 'farming' as const, supplied, rewards }] : []),
    ...(leaving > 0n ? [{ ...base, kind: 'locked' as const, ...unlocking }] : []),
  ]
}

function rewardsOf(farm: AccountData, user: AccountData): TokenAmount[] {
  const { active, isDelegated } = userFields(user)
  const count = Number(farmFields(farm).rewardCount)
  if (count > MOST_REWARDS) throw invalid(FARM.what, farm.address, `has ${count} rewards`)
  const rewards = places({ from: REWARDS, count, size: REWARD_BYTES }).map((at, index) => {
    const { token, perShare } = rewardFields(farm, at)
    const since = (active * perShare) / (isDelegated ? 1n : WAD) - user.u128(USER_TALLIES + index * 16)
    return { token, amountRaw: user.u64(USER_UNCLAIMED + index * 8) + (since > 0n ? since / WAD : 0n) }
  })
  return nonZero(rewards)
}

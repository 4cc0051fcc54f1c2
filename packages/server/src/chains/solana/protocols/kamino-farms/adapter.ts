import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { type AccountOf, anchorLayout, invalid, list } from '../../codec/account-data.ts'
import { readAll, searchAccounts } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'

const PROGRAM = 'FarmsPZpWu9i7Kky8tPN37rs2TpmMrAZrC7S7vJa91Hr'
const MOST_REWARDS = 10

/** Stakes are times 10^18, except in delegated farms. */
const USER = anchorLayout('user of a farm of Kamino', PROGRAM, 'DADCsHyKsrD', 920, {
  farm: ['key', 16],
  owner: ['key', 48],
  isDelegated: ['flag', 80],
  tallies: list({ from: 88, count: MOST_REWARDS, size: 16 }, { raw: ['u128', 0] }),
  unclaimed: list({ from: 248, count: MOST_REWARDS, size: 8 }, { raw: ['u64', 0] }),
  active: ['u128', 408],
  warming: ['u128', 424],
  cooling: ['u128', 448],
  coolingUntil: ['u64', 464],
})
type User = AccountOf<typeof USER>

const FARM = anchorLayout('farm of Kamino', PROGRAM, 'aBkEUZSn9DF', 8336, {
  token: ['key', 72],
  rewards: list({ from: 192, count: MOST_REWARDS, size: 704 }, { token: ['key', 0], perShare: ['u128', 512] }),
  rewardCount: ['u64', 7232],
})
type Farm = AccountOf<typeof FARM>

const WAD = 10n ** 18n

/** A delegated farm follows amounts lent elsewhere. */
export const kaminoFarms: SolanaAdapter = {
  key: 'kamino_farms',
  title: 'Kamino Farms',
  siteUrl: 'https://kamino.com',
  searched: [PROGRAM],

  async positions(scope) {
    const users = await searchAccounts(scope, USER)
    const named = users.map(({ farm }) => farm)
    const farmOf = await readAll(scope.reader, FARM, named)
    return users.flatMap((user) => positionsIn(farmOf(user.farm), user))
  },
}

function positionsIn(farm: Farm, user: User): PositionDraft[] {
  const { isDelegated, active, warming, cooling, coolingUntil } = user
  const { token, address: pool } = farm
  const own = (scaled: bigint) => [{ token, amountRaw: isDelegated ? 0n : scaled / WAD }]
  return [
    { kind: 'farming', label: 'Farm', pool, supplied: own(active + warming), rewards: rewardsOf(farm, user) },
    { kind: 'locked', label: 'Farm', pool, supplied: own(cooling), unlockAt: Number(coolingUntil) },
  ]
}

function rewardsOf({ address, rewards, rewardCount }: Farm, user: User): TokenAmount[] {
  if (rewardCount > MOST_REWARDS) throw invalid(FARM.what, address, `has ${rewardCount} rewards`)
  return rewards.slice(0, Number(rewardCount)).map(({ token, perShare }, index) => {
    const [tally, unclaimed] = [user.tallies[index]?.raw ?? 0n, user.unclaimed[index]?.raw ?? 0n]
    const since = (user.active * perShare) / (user.isDelegated ? 1n : WAD) - tally
    return { token, amountRaw: unclaimed + (since > 0n ? since / WAD : 0n) }
  })
}

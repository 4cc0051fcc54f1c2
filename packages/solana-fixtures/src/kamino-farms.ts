import { FarmState } from '@kamino-finance/farms-sdk/dist/@codegen/farms/accounts/FarmState.js'
import { UserState } from '@kamino-finance/farms-sdk/dist/@codegen/farms/accounts/UserState.js'
import { Decimal } from 'decimal.js'
import { addressOf, JUP, NOBODY, USDC } from './addresses.ts'
import { type Fixture, fixtureAccount, position } from './fixture.ts'
import { handData } from './layout.ts'

const PROGRAM = 'FarmsPZpWu9i7Kky8tPN37rs2TpmMrAZrC7S7vJa91Hr'
const WAD = 10n ** 18n
const Exact = Decimal.clone({ precision: 120 })

/** Stakes, tallies and rewards per share have 18 decimals. A delegated farm's stake has none. */
export type KaminoFarmFigures = {
  isDelegated: boolean
  active: bigint
  warming: bigint
  cooling: bigint
  coolingUntil: bigint
  perShare: bigint
  tally: bigint
  unclaimed: bigint
}

export const kaminoFarmFigures: KaminoFarmFigures = {
  isDelegated: false,
  active: 3_210_987_654n * WAD + 5n,
  warming: 12_345n * WAD,
  cooling: 98_765_432n * WAD,
  coolingUntil: 1_790_600_000n,
  perShare: 12_345_678_901_234_567n,
  tally: 1_234_567n * WAD,
  unclaimed: 7_654_321n,
}

const farmData = ({ perShare, isDelegated }: KaminoFarmFigures): Uint8Array =>
  handData('FarmState', [
    [{ array: ['publicKey', 2] }, []],
    ['publicKey', USDC],
    [{ array: ['u8', 88] }, []],
    ['publicKey', JUP],
    [{ array: ['u8', 480] }, []],
    ['u128', perShare],
    [{ array: ['u8', 176] }, []],
    [{ array: ['u8', 6336] }, []],
    ['u64', 1n],
    [{ array: ['u8', 88] }, []],
    ['publicKey', isDelegated ? addressOf('delegate of a farm') : NOBODY],
    [{ array: ['u8', 976] }, []],
  ])

const userData = (wallet: string, farm: string, figures: KaminoFarmFigures): Uint8Array =>
  handData('UserState', [
    ['u64', 1n],
    ['publicKey', farm],
    ['publicKey', wallet],
    ['bool', figures.isDelegated],
    [{ array: ['u8', 7] }, []],
    [{ array: ['u128', 10] }, [figures.tally]],
    [{ array: ['u64', 10] }, [figures.unclaimed]],
    [{ array: ['u64', 10] }, []],
    ['u128', figures.active],
    ['u128', figures.warming],
    ['u64', 0n],
    ['u128', figures.cooling],
    ['u64', figures.coolingUntil],
    ['u64', 255n],
    ['publicKey', wallet],
    [{ array: ['u64', 51] }, []],
  ])

export const kaminoFarm = async (wallet: string, figures = kaminoFarmFigures): Promise<Fixture> => {
  const farm = addressOf('Kamino farm')
  const [farmBytes, userBytes] = [farmData(figures), userData(wallet, farm, figures)]
  return {
    accounts: [
      fixtureAccount(addressOf(`farm user ${wallet}`), PROGRAM, userBytes),
      fixtureAccount(farm, PROGRAM, farmBytes),
    ],
    held: [],
    expected: expectedOf(farmBytes, userBytes),
  }
}

const expectedOf = (farmBytes: Uint8Array, userBytes: Uint8Array) => {
  const farm = FarmState.decode(Buffer.from(farmBytes))
  const user = UserState.decode(Buffer.from(userBytes))
  const scaled = (value: { toString(): string }) => new Exact(value.toString()).div(WAD.toString())
  const integer = (value: Decimal) => BigInt(value.floor().toFixed(0))
  const isDelegated = user.isFarmDelegated === 1
  const [reward] = farm.rewardInfos
  const perShare = scaled(reward?.rewardPerShareScaled ?? 0)
  const active = isDelegated ? new Exact(user.activeStakeScaled.toString()) : scaled(user.activeStakeScaled)
  const since = active.mul(perShare).sub(scaled(user.rewardsTallyScaled[0] ?? 0))
  const earned = BigInt(String(user.rewardsIssuedUnclaimed[0] ?? 0)) + integer(Exact.max(since, 0))
  const staked = isDelegated ? 0n : integer(scaled(user.activeStakeScaled).add(scaled(user.pendingDepositStakeScaled)))
  const cooling = isDelegated ? 0n : integer(scaled(user.pendingWithdrawalUnstakeScaled))
  const some = (token: string, amountRaw: bigint) => (amountRaw > 0n ? [{ token, amountRaw }] : [])
  const farming = { supplied: some(String(farm.token.mint), staked), rewards: some(String(reward?.token.mint), earned) }
  const unlockAt = user.pendingWithdrawalUnstakeTs.toNumber()
  return [
    ...(staked + earned > 0n ? [position('farming', farming)] : []),
    ...(cooling > 0n ? [position('locked', { supplied: some(USDC, cooling), unlockAt })] : []),
  ]
}

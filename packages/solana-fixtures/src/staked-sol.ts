import { IDL } from '@marinade.finance/marinade-ts-sdk/dist/src/programs/idl/types/marinade_finance.js'
import { StakePoolLayout } from '@solana/spl-stake-pool'
import { PublicKey } from '@solana/web3.js'
import BN from 'bn.js'
import { addressOf, NOBODY, SOL } from './addresses.ts'
import {
  type Fixture,
  type FixtureAccount,
  type FixtureClock,
  type FixtureToken,
  fixtureAccount,
  position,
} from './fixture.ts'
import { anchorData, type Idl, packed } from './layout.ts'
import { heldAccounts } from './tokens.ts'

const LST_DECIMALS = 9
const nobody = new PublicKey(NOBODY)
const noFee = { denominator: new BN(0), numerator: new BN(0) }

type Rate = { held: bigint; lamports: bigint; supply: bigint }

const big = (value: bigint) => new BN(value.toString())

const JITO_SOL = 'J1toso1uCk3RLmjorhTtrVwY9HJ7X8V9yYac6Y7kGCPn'
const JITO_POOL = 'Jito4APyf642JPZPx3hGc6WWJ8zPKtRbRs4P815Awbb'
const STAKE_POOL_PROGRAM = 'SPoo1Ku8WFXoNDMHPsrGSTSG1Y47rzgn41SLUNakuHy'

const stakePoolAccount = ({ lamports, supply }: Rate): FixtureAccount => {
  const data = Buffer.alloc(611)
  StakePoolLayout.encode(
    {
      accountType: 1,
      manager: nobody,
      staker: nobody,
      stakeDepositAuthority: nobody,
      stakeWithdrawBumpSeed: 255,
      validatorList: new PublicKey(addressOf('validator list')),
      reserveStake: new PublicKey(addressOf('reserve stake')),
      poolMint: new PublicKey(JITO_SOL),
      managerFeeAccount: nobody,
      tokenProgramId: nobody,
      totalLamports: big(lamports),
      poolTokenSupply: big(supply),
      lastUpdateEpoch: new BN(900),
      lockup: { unixTimestamp: new BN(0), epoch: new BN(0), custodian: nobody },
      epochFee: noFee,
      nextEpochFee: undefined,
      preferredDepositValidatorVoteAddress: null,
      preferredWithdrawValidatorVoteAddress: null,
      stakeDepositFee: noFee,
      stakeWithdrawalFee: noFee,
      nextStakeWithdrawalFee: undefined,
      stakeReferralFee: 0,
      solDepositAuthority: null,
      solDepositFee: noFee,
      solReferralFee: 0,
      solWithdrawAuthority: null,
      solWithdrawalFee: noFee,
      nextSolWithdrawalFee: undefined,
      lastEpochPoolTokenSupply: big(supply),
      lastEpochTotalLamports: big(lamports),
    } as never,
    data,
  )
  return fixtureAccount(JITO_POOL, STAKE_POOL_PROGRAM, data)
}

const staked = (lamports: bigint) => position('staked', { supplied: [{ token: SOL, amountRaw: lamports }] })

const holding = (mint: string, amountRaw: bigint): FixtureToken => ({ mint, amountRaw, decimals: LST_DECIMALS })

export const jitoSol = async (
  wallet: string,
  rate: Rate = { held: 2_500_000_000n, lamports: 12_345_678_901_234_567n, supply: 10_987_654_321_098_765n },
): Promise<Fixture> => {
  const token = holding(JITO_SOL, rate.held)
  return {
    accounts: [stakePoolAccount(rate), ...(await heldAccounts(wallet, token, rate.supply))],
    held: [token],
    expected: [staked((rate.held * rate.lamports) / rate.supply)],
  }
}

const INF = '5oVNBeEEQvYi1cX3ir8Dx5n1P7pdxydbGF2X4TxVusJm'
const SANCTUM_PROGRAM = '5ocnV1qiCgaQR8Jb8xWnVbApfaygJ8tNoZfgPwsgx9kx'
const SANCTUM_POOL = 'AYhux5gJzCoeoc1PoJ1VxwPDe22RwcvpHviLDD1oCGvW'

/** Withheld by Sanctum's pool since its version 2: in lamports, billionths, fractions of 2^63 and slots. */
export type InfinityWithheld = { fee: bigint; released: bigint; withheld: bigint; protocol: bigint; since: bigint }

/** From the schema in Sanctum's documentation. */
const sanctumPool = ({ lamports }: Rate, version: number, kept?: InfinityWithheld): FixtureAccount => {
  const data = packed([
    ['u64', lamports],
    ['u32', Number(kept?.fee ?? 0n)],
    ['u8', version],
    ['bool', false],
    ['bool', false],
    ['u8', 0],
    [{ array: ['publicKey', 4] }, []],
    ['publicKey', INF],
    ...(kept
      ? ([
          ['publicKey', INF],
          ['u64', kept.released],
          ['u64', kept.withheld],
          ['u64', kept.protocol],
          ['u64', kept.since],
        ] as const)
      : []),
  ])
  return fixtureAccount(SANCTUM_POOL, SANCTUM_PROGRAM, data)
}

export const infinity = async (
  wallet: string,
  rate: Rate = { held: 1_200_000_000n, lamports: 2_345_678_901_234_567n, supply: 1_654_321_098_765_432n },
  version = 1,
  kept?: InfinityWithheld,
): Promise<Fixture> => {
  const token = holding(INF, rate.held)
  return {
    accounts: [sanctumPool(rate, version, kept), ...(await heldAccounts(wallet, token, rate.supply))],
    held: [token],
    expected: [staked((rate.held * rate.lamports) / rate.supply)],
  }
}

const MSOL = 'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So'
const MARINADE_PROGRAM = 'MarBmsSgKXdrN1egZf5sqe1TMai9K1rChYNDJgjq7aD'
const MARINADE_STATE = '8szGkuLTAux9XMgZ2vtY39jVSowEcpBfFfD8hXSEqdGC'

export type MarinadeFigures = {
  held: bigint
  supply: bigint
  active: bigint
  coolingDown: bigint
  emergency: bigint
  reserve: bigint
  tickets: bigint
  ticket: { lamports: bigint; epoch: bigint }
}

const marinadeIdl = IDL as unknown as Idl

const marinadeFigures = (clock: FixtureClock): MarinadeFigures => ({
  held: 4_000_000_001n,
  supply: 3_210_987_654_321_098n,
  active: 4_123_456_789_012_345n,
  coolingDown: 12_345_678_901n,
  emergency: 5_432_109n,
  reserve: 98_765_432_109n,
  tickets: 3_456_789_012n,
  ticket: { lamports: 1_500_000_007n, epoch: clock.epoch },
})

export const marinade = async (
  wallet: string,
  clock: FixtureClock,
  figures = marinadeFigures(clock),
): Promise<Fixture> => {
  const { held, supply, active, coolingDown, emergency, reserve, tickets, ticket } = figures
  const token = holding(MSOL, held)
  const state = anchorData(
    marinadeIdl,
    'state',
    {
      msolMint: MSOL,
      stakeSystem: { delayedUnstakeCoolingDown: coolingDown },
      validatorSystem: { totalActiveBalance: active },
      availableReserveBalance: reserve,
      msolSupply: supply,
      circulatingTicketBalance: tickets,
      emergencyCoolingDown: emergency,
    },
    'State',
  )
  const ticketData = anchorData(
    marinadeIdl,
    'ticketAccountData',
    { stateAddress: MARINADE_STATE, beneficiary: wallet, lamportsAmount: ticket.lamports, createdEpoch: ticket.epoch },
    'TicketAccountData',
  )
  // Paid from 45 minutes into the next epoch. Epochs have 432,000 slots of 0.4 seconds.
  const wait = ((ticket.epoch + 1n) * 432_000n - clock.slot) * 4n
  const unlockAt = clock.time + Number(wait / 10n) + 2_700
  return {
    accounts: [
      fixtureAccount(MARINADE_STATE, MARINADE_PROGRAM, state),
      fixtureAccount(addressOf(`ticket of ${wallet}`), MARINADE_PROGRAM, ticketData),
      ...(await heldAccounts(wallet, token, supply)),
    ],
    held: [token],
    expected: [
      staked((held * (active + coolingDown + emergency + reserve - tickets)) / supply),
      position('locked', { supplied: [{ token: SOL, amountRaw: ticket.lamports }], unlockAt }),
    ],
  }
}

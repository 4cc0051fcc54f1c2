import { address } from '@solana/kit'
import { getStakeStateAccountDecoder, STAKE_PROGRAM_ADDRESS, type StakeStateV2 } from '@solana-program/stake'
import { describe, expect, test } from 'vitest'
import { NEVER, SOL, startCluster } from '../../test/solana-cluster.ts'

/** Rent of 200 bytes: (200 + 128) × 6960 lamports. */
const RESERVE = 2_282_880n

const { devnet, rpc, walletWith, dataOf } = await startCluster()
const owner = await walletWith('stake: owner', 1000n * SOL)

/** Filters stake accounts by the withdrawer at byte 44, as wallets do. */
const stakes = async () => {
  const byWithdrawer = { memcmp: { offset: 44n, bytes: owner.address as never, encoding: 'base58' as const } }
  const filters = [{ dataSize: 200n }, byWithdrawer]
  const found = await rpc.getProgramAccounts(STAKE_PROGRAM_ADDRESS, { encoding: 'base64', filters }).send()
  return new Map(
    found.map(({ pubkey, account }) => {
      const { state } = getStakeStateAccountDecoder().decode(Buffer.from(account.data[0], 'base64'))
      return [pubkey, { lamports: account.lamports, state }] as const
    }),
  )
}

const delegationOf = (state: StakeStateV2 | undefined) => {
  if (state?.__kind !== 'Stake') throw new Error(`no delegation: ${state?.__kind}`)
  return state.fields[1].delegation
}

describe('stake accounts', () => {
  test('go through every state at the ends of epochs', async () => {
    const { stake } = devnet.actions
    const account = await devnet.keypair('stake: states')
    await stake.create(owner, account, 5n * SOL)
    const initialized = (await stakes()).get(account.address)
    expect(initialized?.lamports).toBe(RESERVE + 5n * SOL)
    expect(initialized?.state).toMatchObject({
      __kind: 'Initialized',
      fields: [{ rentExemptReserve: RESERVE, authorized: { staker: owner.address, withdrawer: owner.address } }],
    })

    await stake.delegate(owner, account.address)
    const epoch = devnet.chain.epoch()
    expect(delegationOf((await stakes()).get(account.address)?.state)).toMatchObject({
      voterPubkey: await stake.vote(),
      stake: 5n * SOL,
      activationEpoch: epoch,
      deactivationEpoch: NEVER,
    })
    await expect(stake.withdraw(owner, account.address, SOL)).rejects.toThrow(/insufficient/i)

    devnet.chain.moveToEpoch(epoch + 1n)
    await stake.deactivate(owner, account.address)
    expect(delegationOf((await stakes()).get(account.address)?.state).deactivationEpoch).toBe(epoch + 1n)
    await expect(stake.withdraw(owner, account.address, SOL)).rejects.toThrow(/insufficient/i)

    devnet.chain.moveToEpoch(epoch + 2n)
    await stake.withdraw(owner, account.address, RESERVE + 5n * SOL)
    expect((await stakes()).has(account.address)).toBe(false)
  })

  test('with a lockup are not to be withdrawn before it ends', async () => {
    const { stake } = devnet.actions
    const account = await devnet.keypair('stake: locked')
    const unixTime = devnet.chain.time() + 1000n
    await stake.create(owner, account, SOL, { lockup: { unixTime, custodian: devnet.payer.address } })
    expect((await stakes()).get(account.address)?.state).toMatchObject({
      fields: [{ lockup: { unixTimestamp: unixTime, epoch: 0n, custodian: devnet.payer.address } }],
    })
    await expect(stake.withdraw(owner, account.address, SOL)).rejects.toThrow()
    devnet.chain.setTime(unixTime + 1n)
    await stake.withdraw(owner, account.address, SOL)
    expect((await stakes()).get(account.address)?.lamports).toBe(RESERVE)
  })

  test('split and merge without loss', async () => {
    const { stake } = devnet.actions
    const [account, half] = await Promise.all([devnet.keypair('stake: whole'), devnet.keypair('stake: half')])
    await stake.create(owner, account, 10n * SOL)
    await stake.delegate(owner, account.address)
    devnet.chain.moveToEpoch(devnet.chain.epoch() + 1n)
    await stake.split(owner, account.address, half, 4n * SOL)
    const split = await stakes()
    expect(delegationOf(split.get(account.address)?.state).stake).toBe(6n * SOL)
    expect(delegationOf(split.get(half.address)?.state).stake).toBe(4n * SOL)
    await stake.merge(owner, account.address, half.address)
    const merged = await stakes()
    expect(merged.has(half.address)).toBe(false)
    expect(merged.get(account.address)?.lamports).toBe(2n * RESERVE + 10n * SOL)
  })

  test('the stake history has every epoch that is over, and says what it was told', async () => {
    const epoch = devnet.chain.epoch()
    const reported = { effective: 7n, activating: 8n, deactivating: 9n }
    devnet.chain.setClusterStake(epoch, reported)
    devnet.chain.moveToEpoch(epoch + 2n)
    const data = await dataOf(address('SysvarStakeHistory1111111111111111111111111'))
    const u64s = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => data.readBigUInt64LE(from + index * 8))
    // 512 entries of an epoch and three amounts each, newest first.
    expect(u64s(0, 2)).toEqual([512n, epoch + 1n])
    expect(u64s(40, 4)).toEqual([epoch, 7n, 8n, 9n])
  })
})

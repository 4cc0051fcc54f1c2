import type { Address, KeyPairSigner } from '@solana/kit'
import type { SolanaDevnet } from '../solana-devnet.ts'

/** The account holds its reserve in addition to the stake. */
export type DemoStake = { account: Address; lamports: bigint; unlocksAt: bigint | null }

const SOL = 1_000_000_000n
const YEAR_SECONDS = 31_536_000n

/** A stake in each state, two epochs after the start. */
export const demoStakes = async (devnet: SolanaDevnet, wallet: KeyPairSigner) => {
  const { stake } = devnet.actions
  const unlocksAt = devnet.chain.time() + YEAR_SECONDS

  const create = async (name: string, sol: bigint, isLocked = false): Promise<DemoStake> => {
    const account = await devnet.keypair(`demo stake: ${name}`)
    const lockup = { unixTime: unlocksAt, custodian: devnet.payer.address }
    await stake.create(wallet, account, sol * SOL, isLocked ? { lockup } : {})
    return { account: account.address, lamports: stake.reserve + sol * SOL, unlocksAt: isLocked ? unlocksAt : null }
  }
  const delegated = async (name: string, sol: bigint, isLocked = false): Promise<DemoStake> => {
    const made = await create(name, sol, isLocked)
    await stake.delegate(wallet, made.account)
    return made
  }
  const nextEpoch = () => devnet.chain.moveToEpoch(devnet.chain.epoch() + 1n)

  const active = await delegated('active', 3n)
  const locked = await delegated('locked', 6n, true)
  const deactivating = await delegated('deactivating', 4n)
  const inactive = await delegated('inactive', 5n)
  nextEpoch()
  await stake.deactivate(wallet, inactive.account)
  nextEpoch()
  await stake.deactivate(wallet, deactivating.account)
  const activating = await delegated('activating', 2n)
  const initialized = await create('initialized', 1n)
  return { initialized, activating, active, deactivating, inactive, locked }
}

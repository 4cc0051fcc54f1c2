import { everyAdapter, type FixtureAccount, type FixturePosition, type FixtureToken } from '@coffer/solana-fixtures'
import { type Address, address, type KeyPairSigner } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import type { SolanaDevnet } from '../solana-devnet.ts'
import { isTokenProgram } from '../token-account.ts'
import { placeFixture } from './place-fixture.ts'

/** `expected`: by the protocol's own arithmetic. */
export type DemoPosition = { held: readonly FixtureToken[]; expected: readonly FixturePosition[] }

const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
/** Tokens that positions pay and the wallet does not hold. */
const PAID = [{ mint: address('4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R'), decimals: 6 }]

const clockOf = ({ chain }: SolanaDevnet) => ({ slot: chain.slot(), epoch: chain.epoch(), time: Number(chain.time()) })

const programsOf = (accounts: readonly FixtureAccount[]): Address[] =>
  [...new Set(accounts.map(({ owner }) => owner))]
    .filter((owner) => owner !== SYSTEM_PROGRAM_ADDRESS && !isTokenProgram(owner))
    .map((owner) => address(owner))

/**
 * Imitates earlier use of a program. The memo program replaces the protocol's: it takes a call without data and does
 * nothing.
 */
const callOnce = async ({ chain, send }: SolanaDevnet, wallet: KeyPairSigner, program: Address): Promise<void> => {
  const memo = chain.account(MEMO_PROGRAM)
  if (!memo) throw new Error('the machine has no memo program')
  chain.setAccount(program, { owner: memo.owner, data: memo.data, executable: true })
  await send([{ programAddress: program }], { feePayer: wallet })
}

/** By protocol name, as of the current slot. Each is one line in the fixtures. */
export const demoPositions = async (
  devnet: SolanaDevnet,
  wallet: KeyPairSigner,
): Promise<Readonly<Record<string, DemoPosition>>> => {
  const fixtures = async () => Object.entries(await everyAdapter(wallet.address, clockOf(devnet)))
  const before = (await fixtures()).flatMap(([, { accounts }]) => accounts)
  for (const program of programsOf(before)) await callOnce(devnet, wallet, program)
  for (const { mint, decimals } of PAID) devnet.actions.mints.place(mint, { decimals })
  // Again: the calls took slots, and interest accrues per slot.
  const placed = await fixtures()
  for (const [, { accounts }] of placed) placeFixture(devnet, accounts)
  return Object.fromEntries(placed.map(([family, { held, expected }]) => [family, { held, expected }]))
}

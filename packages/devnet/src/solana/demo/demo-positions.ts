import { everyFamily, type FixtureAccount, type FixturePosition, type FixtureToken } from '@coffer/solana-fixtures'
import { type Address, address, type KeyPairSigner } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import type { SolanaDevnet } from '../solana-devnet.ts'
import { isTokenProgram } from '../token-account.ts'
import { placeFixture } from './place-fixture.ts'

/** What the wallet has in a protocol: the tokens that stand for it, and what it amounts to by the protocol itself. */
export type DemoPosition = { held: readonly FixtureToken[]; expected: readonly FixturePosition[] }

const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')
/** Tokens that positions pay and that the wallet does not hold. */
const PAID = [{ mint: address('4k3Dyjzvzp8eMZWUXbBCjEvwSkkk59S5iCNLY3QrkX6R'), decimals: 6 }]

const clockOf = ({ chain }: SolanaDevnet) => ({ slot: chain.slot(), epoch: chain.epoch(), time: Number(chain.time()) })

/** Programs of protocols among the owners of accounts. */
const programsOf = (accounts: readonly FixtureAccount[]): Address[] =>
  [...new Set(accounts.map(({ owner }) => owner))]
    .filter((owner) => owner !== SYSTEM_PROGRAM_ADDRESS && !isTokenProgram(owner))
    .map((owner) => address(owner))

/**
 * Lets the wallet use a program, as whoever has a position in it did. The protocol's program is not on the local chain:
 * the memo program stands in its place, which takes a call without data and does nothing.
 */
const callOnce = async ({ chain, send }: SolanaDevnet, wallet: KeyPairSigner, program: Address): Promise<void> => {
  const memo = chain.account(MEMO_PROGRAM)
  if (!memo) throw new Error('the machine has no memo program')
  chain.setAccount(program, { owner: memo.owner, data: memo.data, executable: true })
  await send([{ programAddress: program }], { feePayer: wallet })
}

/** A position of every family in place, by the family's name, as of the chain's present slot; a line in the fixtures each. */
export const demoPositions = async (
  devnet: SolanaDevnet,
  wallet: KeyPairSigner,
): Promise<Readonly<Record<string, DemoPosition>>> => {
  const fixtures = async () => Object.entries(await everyFamily(wallet.address, clockOf(devnet)))
  const before = (await fixtures()).flatMap(([, { accounts }]) => accounts)
  for (const program of programsOf(before)) await callOnce(devnet, wallet, program)
  for (const { mint, decimals } of PAID) devnet.actions.mints.place(mint, { decimals })
  // Anew: the calls took slots, and interest runs by the slot.
  const placed = await fixtures()
  for (const [, { accounts }] of placed) placeFixture(devnet, accounts)
  return Object.fromEntries(placed.map(([family, { held, expected }]) => [family, { held, expected }]))
}

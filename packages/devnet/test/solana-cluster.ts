import { type Address, createSolanaRpc } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { getTokenDecoder, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022'
import { afterAll } from 'vitest'
import { startSolanaDevnet } from '../src/solana/solana-devnet.ts'

export const SOL = 1_000_000_000n
export const NEVER = 2n ** 64n - 1n
export const START = 1_790_000_000n

export const bytesOf = ([text]: readonly [string, string]) => new Uint8Array(Buffer.from(text, 'base64'))

/** A local cluster for one suite, and what its tests ask most. */
export async function startCluster() {
  const devnet = await startSolanaDevnet({ unixTime: START })
  afterAll(() => devnet.stop())
  const rpc = createSolanaRpc(devnet.url)
  const base64 = { encoding: 'base64' } as const
  return {
    devnet,
    rpc,
    keyOf: async (name: string) => (await devnet.keypair(name)).address,
    /** Of lamports. */
    async walletWith(name: string, lamports: bigint) {
      const wallet = await devnet.keypair(name)
      await devnet.actions.sol.give(wallet.address, lamports)
      return wallet
    },
    balanceOf: async (key: Address) => (await rpc.getBalance(key).send()).value,
    async dataOf(key: Address) {
      const { value } = await rpc.getAccountInfo(key, base64).send()
      return Buffer.from(value?.data[0] ?? '', 'base64')
    },
    /** Newest first. */
    signaturesOf: async (key: Address) =>
      (await rpc.getSignaturesForAddress(key).send()).map(({ signature }) => signature),
    async tokensOf(owner: Address, of: { mint: Address } | { programId: Address }) {
      const { value } = await rpc.getTokenAccountsByOwner(owner, of, base64).send()
      return value.map(({ pubkey, account }) => ({
        account: pubkey,
        program: account.owner,
        ...getTokenDecoder().decode(bytesOf(account.data)),
      }))
    },
  }
}

export const TOKEN_PROGRAMS = [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS]

import { type Address, getAddressEncoder } from '@solana/kit'
import type { SolanaChain } from '../chain.ts'
import { isTokenAccount, isTokenProgram, readMint } from '../token-account.ts'
import { uiTokenAmount } from '../token-amount.ts'
import { encodeAccount } from './account-encoding.ts'
import { hasBytes } from './account-filter.ts'
import { inContext, type Methods } from './method.ts'
import { type Config, configOf, toAddress } from './params.ts'
import { invalidParams } from './rpc-error.ts'

const OWNER_AT = 32

/** Amounts are as stored: without interest or multiplier. */
export const tokenMethods = (chain: SolanaChain): Methods => {
  const wanted = (filter: Config): { program: Address; mint: Uint8Array } => {
    if (filter['programId'] !== undefined) {
      const program = toAddress(filter['programId'])
      if (isTokenProgram(program)) return { program, mint: new Uint8Array() }
      throw invalidParams('Invalid param: unrecognized Token program id')
    }
    const mint = toAddress(filter['mint'])
    const account = chain.account(mint)
    if (!account || !readMint(account)) throw invalidParams('Invalid param: could not find mint')
    return { program: account.owner, mint: Uint8Array.from(getAddressEncoder().encode(mint)) }
  }

  return {
    getTokenAccountsByOwner: {
      configAt: 2,
      run: ([key, filter], config) => {
        const owner = Uint8Array.from(getAddressEncoder().encode(toAddress(key)))
        const { program, mint } = wanted(configOf([filter], 0))
        const found = chain
          .programAccounts(program)
          .filter(({ data }) => isTokenAccount(data) && hasBytes(data, OWNER_AT, owner) && hasBytes(data, 0, mint))
        const listed = found.map((each) => ({
          account: encodeAccount(each, config, 'binary'),
          pubkey: each.address,
        }))
        return inContext(chain.slot(), listed)
      },
    },
    getTokenSupply: {
      run: ([key]) => {
        const account = chain.account(toAddress(key))
        if (!account) throw invalidParams('Invalid param: could not find account')
        const mint = readMint(account)
        if (!mint) throw invalidParams('Invalid param: not a Token mint')
        return inContext(chain.slot(), uiTokenAmount(mint.supply, mint.decimals))
      },
    },
  }
}

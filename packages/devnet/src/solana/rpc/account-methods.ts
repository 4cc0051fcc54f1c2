import type { Address } from '@solana/kit'
import type { SolanaChain } from '../chain.ts'
import { encodeAccount } from './account-encoding.ts'
import { readFilters } from './account-filter.ts'
import { inContext, type Methods } from './method.ts'
import { list, toAddress, u64 } from './params.ts'
import { invalidParams, RpcError } from './rpc-error.ts'

export type AccountOptions = {
  /** Programs whose accounts this node refuses to list, like nodes without an index. */
  refuseProgramAccounts?: 'all' | readonly Address[]
  /** Default: 100. */
  maxMultipleAccounts?: number
}

const MAX_MULTIPLE_ACCOUNTS = 100

export const accountMethods = (chain: SolanaChain, options: AccountOptions): Methods => {
  const { refuseProgramAccounts: refused = [], maxMultipleAccounts = MAX_MULTIPLE_ACCOUNTS } = options
  const inSlot = (value: unknown) => inContext(chain.slot(), value)

  const requireListed = (program: Address): void => {
    if (refused !== 'all' && !refused.includes(program)) return
    const reason = 'excluded from account secondary indexes; this RPC method unavailable for key'
    throw new RpcError('excludedFromIndex', `${program} ${reason}`)
  }

  return {
    getBalance: { configAt: 1, run: ([key]) => inSlot(chain.account(toAddress(key))?.lamports ?? 0n) },
    getMinimumBalanceForRentExemption: { run: ([bytes]) => chain.rentExemption(u64(bytes)) },
    getAccountInfo: {
      configAt: 1,
      run: ([key], config) => {
        const account = chain.account(toAddress(key))
        return inSlot(account && encodeAccount(account, config, 'binary'))
      },
    },
    getMultipleAccounts: {
      configAt: 1,
      run: ([keys], config) => {
        const wanted = list(keys)
        if (wanted.length > maxMultipleAccounts)
          throw invalidParams(`Too many inputs provided; max ${maxMultipleAccounts}`)
        const accounts = wanted.map(toAddress).map(chain.account)
        return inSlot(accounts.map((account) => account && encodeAccount(account, config, 'base64')))
      },
    },
    getProgramAccounts: {
      configAt: 1,
      run: ([key], config) => {
        const program = toAddress(key)
        const passes = readFilters(config['filters'])
        requireListed(program)
        const found = chain.programAccounts(program).filter(passes)
        const listed = found.map((each) => ({
          account: encodeAccount(each, config, 'binary'),
          pubkey: each.address,
        }))
        return config['withContext'] === true ? inSlot(listed) : listed
      },
    },
  }
}

import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { type AccountLayout, openAccount, openExisting } from '../codec/account-data.ts'
import { addressBytes } from '../codec/address-bytes.ts'
import { programAddress } from '../codec/program-address.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import { CONFIG_SEED, configAddresses } from './raydium-configs.ts'
import { type PoolHead, type PoolProgram, vaultBalance } from './solana-pool.ts'

const PROGRAM: SolanaAddress = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
/** As many configurations as its pools use, with room. */
const configs = configAddresses(PROGRAM, 5)

const poolLayout: AccountLayout = {
  what: 'pool of Raydium CPMM',
  programs: [PROGRAM],
  discriminator: 'iUE1qg7KXeV',
  minLength: 637,
}
const POOL_CONFIG = 8
const VAULT_0 = 72
const VAULT_1 = 104
const MINT_0 = 168
const MINT_1 = 200
const STATUS = 329
const NO_SWAPS = 1 << 2
const LP_SUPPLY = 333
/** Fees in the vaults that are not the pool's: of the protocol, the fund and the creator; one of each token. */
const FEES_0 = [341, 357, 397]
const FEES_1 = [349, 365, 405]
const OPEN_TIME = 373
const CREATOR_FEE = 390

const configLayout: AccountLayout = {
  what: 'configuration of Raydium CPMM',
  programs: [PROGRAM],
  discriminator: CONFIG_SEED.discriminator,
  minLength: 116,
}
const TRADE_FEE = 12
const CREATOR_FEE_RATE = 108
const MILLION = 1_000_000

/** Raydium's pools of constant product. Their records of past prices are not used. */
export const raydiumCpmmPools: PoolProgram = {
  source: 'raydium_cpmm',
  kind: 'pair',
  program: PROGRAM,
  addresses: ([mint0, mint1]) =>
    configs().map((config) =>
      programAddress(PROGRAM, ['pool', addressBytes(config), addressBytes(mint0), addressBytes(mint1)]),
    ),
  open: readHead,
}

function readHead(account: SolanaAccount, time: number): PoolHead | undefined {
  const data = openAccount(account, poolLayout)
  if (data.u8(STATUS) & NO_SWAPS || data.u64(OPEN_TIME) > BigInt(time)) return undefined
  const sides = [
    { mint: data.key(MINT_0), vault: data.key(VAULT_0), fees: FEES_0 },
    { mint: data.key(MINT_1), vault: data.key(VAULT_1), fees: FEES_1 },
  ] as const
  const config = data.key(POOL_CONFIG)
  return {
    address: account.address,
    mints: [sides[0].mint, sides[1].mint],
    weight: () => data.u64(LP_SUPPLY),
    needs: () => [config, sides[0].vault, sides[1].vault],
    finish(tokenIs0, accounts) {
      const [reserve0 = 0n, reserve1 = 0n] = sides.map(({ mint, vault, fees }) => {
        const balance = vaultBalance(vault, mint, accounts)
        return fees.reduce((left, offset) => left - data.u64(offset), balance)
      })
      if (reserve0 <= 0n || reserve1 <= 0n) return undefined
      const rates = openExisting(accounts.get(config), configLayout)
      const fee = rates.u64(TRADE_FEE) + (data.flag(CREATOR_FEE) ? rates.u64(CREATOR_FEE_RATE) : 0n)
      return {
        kind: 'uniswap_v2',
        tokenReserve: tokenIs0 ? reserve0 : reserve1,
        quoteReserve: tokenIs0 ? reserve1 : reserve0,
        feeMillionths: Math.min(Number(fee), MILLION),
      }
    },
  }
}

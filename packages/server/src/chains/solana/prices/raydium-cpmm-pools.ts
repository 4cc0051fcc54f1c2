import { anchorLayout, openExisting, type SolanaAccount } from '../codec/account-data.ts'
import { heldAmount } from '../codec/token-program.ts'
import { CPMM_PROGRAM, readCpmmTrade } from '../protocols/raydium-pools/layout.ts'
import { CONFIG_SEED, configAddresses, poolAddresses } from './raydium-configs.ts'
import type { PoolHead, PoolProgram } from './solana-pool.ts'

/** More than pools use. */
const configs = configAddresses(CPMM_PROGRAM, 5)

const configLayout = anchorLayout('configuration of Raydium CPMM', CPMM_PROGRAM, CONFIG_SEED.discriminator, 116)
const TRADE_FEE = 12
const CREATOR_FEE_RATE = 108
const MILLION = 1_000_000

/** Recorded past prices are not used. */
export const raydiumCpmmPools: PoolProgram = {
  source: 'raydium_cpmm',
  kind: 'pair',
  program: CPMM_PROGRAM,
  addresses: poolAddresses(CPMM_PROGRAM, configs),
  open: readHead,
}

function readHead(account: SolanaAccount, time: number): PoolHead | undefined {
  const { pool, config, hasCreatorFee, isOpen } = readCpmmTrade(account, time)
  if (!isOpen) return undefined
  return {
    address: account.address,
    mints: pool.tokens,
    weight: () => pool.shares,
    needs: () => [config, ...pool.vaults],
    finish(tokenIs0, accounts) {
      const reserveOf = (side: 0 | 1) => {
        const of = { mint: pool.tokens[side] }
        return heldAmount(accounts.get(pool.vaults[side]), 'vault of a pool', of) - pool.owed[side]
      }
      const [tokenReserve, quoteReserve] = tokenIs0 ? [reserveOf(0), reserveOf(1)] : [reserveOf(1), reserveOf(0)]
      if (tokenReserve <= 0n || quoteReserve <= 0n) return undefined
      const rates = openExisting(accounts.get(config), configLayout)
      const fee = rates.u64(TRADE_FEE) + (hasCreatorFee ? rates.u64(CREATOR_FEE_RATE) : 0n)
      return { kind: 'uniswap_v2', tokenReserve, quoteReserve, feeMillionths: Math.min(Number(fee), MILLION) }
    },
  }
}

// Former exports by which outside checks decode recorded accounts. `recorded-paths.json` names them.
import {
  type AccountData,
  type Fields,
  type Layout,
  readAccount,
  readFields,
  type SolanaAccount,
} from '../../src/chains/solana/codec/account-data.ts'
import { type ProgramDirectory, programOf } from '../../src/chains/solana/decode/naming-rules.ts'
import type { PositionScope } from '../../src/chains/solana/protocols/adapter.ts'
import {
  PERP_MARKET as DRIFT_PERP_MARKET,
  SPOT_MARKET as DRIFT_SPOT_MARKET,
} from '../../src/chains/solana/protocols/drift/layout.ts'
import { RESERVE as KAMINO_RESERVE, kaminoReserve } from '../../src/chains/solana/protocols/kamino-reserve.ts'
import { BANK as MARGINFI_BANK } from '../../src/chains/solana/protocols/marginfi/adapter.ts'
import { POOL } from '../../src/chains/solana/protocols/meteora-damm/adapter.ts'
import * as dlmm from '../../src/chains/solana/protocols/meteora-dlmm/adapter.ts'
import { STAKE } from '../../src/chains/solana/protocols/native-stake/adapter.ts'
import { whirlpools } from '../../src/chains/solana/protocols/orca-whirlpools/adapter.ts'
import { solanaAdapters } from '../../src/chains/solana/protocols/protocols.ts'
import { type RangeProtocol, readTicks } from '../../src/chains/solana/protocols/range-positions.ts'
import { clmm } from '../../src/chains/solana/protocols/raydium-clmm/adapter.ts'
import * as raydiumPools from '../../src/chains/solana/protocols/raydium-pools/adapter.ts'
import { stampPosition } from '../../src/domain/position.ts'
import { newFinds } from './accounts-reader.ts'

export const RESERVE = KAMINO_RESERVE
export const BANK = MARGINFI_BANK
export const ASSET_TAG = BANK.fields.assetTag[1]
export const SPOT_MARKET = DRIFT_SPOT_MARKET
export const PERP_MARKET = DRIFT_PERP_MARKET

const fieldsOf =
  <F extends Fields>({ fields }: Layout<F>) =>
  (data: AccountData) =>
    readFields(data, fields)
export const spotMarketFields = fieldsOf(SPOT_MARKET)
export const perpMarketFields = fieldsOf(PERP_MARKET)
export const bankFields = fieldsOf(BANK)

/** Names of outside checks, where they differ from the keys. */
const NAMES: Readonly<Record<string, string>> = {
  spl_stake_pool: 'stake_pools',
  jupiter_dao: 'jupiter_vote',
  orca: 'orca_whirlpools',
  raydium: 'raydium_clmm',
  meteora: 'meteora_dlmm',
  meteora_damm_v2: 'meteora_damm',
}

export const createAdapters = () =>
  solanaAdapters.map((adapter) => ({
    ...adapter,
    name: NAMES[adapter.key] ?? adapter.key,
    async positions(scope: PositionScope) {
      const drafts = await adapter.positions({ ...scope, found: newFinds() })
      return drafts.filter((draft) => stampPosition(draft, '', ''))
    },
  }))

export const createSolanaBook = ({ isSpam }: Pick<ProgramDirectory, 'isSpam'>): ProgramDirectory => ({
  programOf,
  isSpam,
})

export function readStakeAccount(account: SolanaAccount) {
  const { state, owner, data, lockupEpoch, stake } = readAccount(account, STAKE)
  if (state === 0) return undefined
  const delegation = state === 2 ? { stake } : undefined
  return { withdrawer: owner, lamports: data.lamports, lockup: { epoch: lockupEpoch }, delegation }
}

export function readKaminoReserve({ address, lamports, length, bytes }: AccountData, slot: bigint) {
  const owner = 'KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD'
  const reserve = kaminoReserve({ address, owner, lamports, data: bytes(0, length) }, slot)
  return { ...reserve, decimals: Number(reserve.decimals) }
}

type Array = { pool: string; start: number; tickSpacing?: number }
const rangeOf = (protocol: RangeProtocol) => ({
  program: protocol.program,
  readPool: protocol.readPool,
  readPosition: protocol.readPosition,
  readTicks: (account: SolanaAccount, array: Array) => readTicks(protocol, account, { tickSpacing: 1, ...array }),
})
export const { readPool: orcaPool, readPosition: orcaPosition, readTicks: orcaTicks } = rangeOf(whirlpools)
export const {
  program: CLMM_PROGRAM,
  readPool: clmmPool,
  readPosition: clmmPosition,
  readTicks: clmmTicks,
} = rangeOf(clmm)
export const orcaProgram = whirlpools.program
export const { DLMM_PROGRAM, readBin, readPool: dlmmPool } = dlmm
export const { CPMM_PROGRAM, lpPrograms } = raydiumPools
export const DAMM_PROGRAM = POOL.programs[0]
export const dammPool = (account: SolanaAccount) => readAccount(account, POOL)

import { createHash } from 'node:crypto'
import { addressBytes } from '../addresses.ts'

/** Fields in order, packed as in Borsh. */
type Field = readonly [name: string, type: 'u8' | 'u16' | 'u32' | 'u64' | 'bool' | 'key' | 'f64' | `bytes${number}`]
type Struct = { account: string; fields: readonly Field[]; length: number }

/** Omitted fields are zero. */
export type FieldValues = Readonly<Record<string, bigint | boolean | string | Uint8Array>>

const sizes = { u8: 1, u16: 2, u32: 4, u64: 8, bool: 1, key: 32, f64: 8 } as const

function encodeField(type: Field[1], value: FieldValues[string] | undefined): Uint8Array {
  const size = type.startsWith('bytes') ? Number(type.slice(5)) : sizes[type as keyof typeof sizes]
  const bytes = new Uint8Array(size)
  if (value === undefined) return bytes
  if (typeof value === 'string') bytes.set(addressBytes(value))
  else if (value instanceof Uint8Array) bytes.set(value)
  else for (let at = 0, rest = BigInt(value); at < size; at += 1, rest >>= 8n) bytes[at] = Number(rest & 0xffn)
  return bytes
}

function encode({ account, fields, length }: Struct, values: FieldValues): Uint8Array {
  const unknown = Object.keys(values).filter((name) => !fields.some(([field]) => field === name))
  if (unknown.length > 0) throw new Error(`${account} has no ${unknown.join(', ')}`)
  const discriminator = createHash('sha256').update(`account:${account}`).digest().subarray(0, 8)
  const parts = [discriminator, ...fields.map(([name, type]) => encodeField(type, values[name]))]
  const data = new Uint8Array(length)
  data.set(Buffer.concat(parts))
  return data
}

const fields = (text: string) =>
  text
    .trim()
    .split(/\s+/)
    .map((part) => part.split(':') as unknown as Field)

const HEAD = 'bump:u8 version:u64 root:bytes32 mint:key'
const COUNTS = 'max_total_claim:u64 max_num_nodes:u64 total_amount_claimed:u64'
const TIMES = 'num_nodes_claimed:u64 start_ts:u64 end_ts:u64 clawback_start_ts:u64'
const OWNERS = 'clawback_receiver:key admin:key clawed_back:bool'
const ENABLED = 'enable_slot:u64 closable:bool buffer_0:bytes32 buffer_1:bytes32 buffer_2:bytes32'
const BONUS = 'total_bonus:u64 vesting_duration:u64 total_claimed_bonus:u64'
const CLAIM = 'claimant:key locked_amount:u64 locked_amount_withdrawn:u64 unlocked_amount:u64'

const struct = (account: string, length: number, text: string): Struct => ({ account, length, fields: fields(text) })
const distributor = (length: number, text: string) => struct('MerkleDistributor', length, text)
const claim = (length: number, text: string) => struct('ClaimStatus', length, text)

/** From published Rust structs and IDLs. Lengths are mainnet's. */
const structs = {
  jito: {
    distributor: distributor(240, `${HEAD} token_vault:key ${COUNTS} ${TIMES} ${OWNERS}`),
    claim: claim(64, CLAIM),
  },
  jupiterFirst: {
    distributor: distributor(344, `${HEAD} token_vault:key ${COUNTS} ${TIMES} ${OWNERS} ${ENABLED}`),
    claim: claim(104, `${CLAIM} closable:bool admin:key`),
  },
  jupiterBase: {
    distributor: distributor(
      376,
      `${HEAD} base:key token_vault:key ${COUNTS} ${TIMES} ${OWNERS} activation_point:u64 closable:bool
       ${BONUS} activation_type:u8 buffer_0:bytes7 buffer_1:bytes32 buffer_2:bytes32`,
    ),
    claim: claim(104, `${CLAIM} closable:bool admin:key`),
  },
  jupiterZeroCopy: {
    distributor: distributor(
      448,
      `root:bytes32 mint:key base:key token_vault:key clawback_receiver:key admin:key locker:key operator:key
       version:u64 ${COUNTS} ${TIMES} activation_point:u64 activation_type:u8 claim_type:u8 bump:u8 clawed_back:bool
       closable:bool padding_0:bytes3 ${BONUS} padding_2:bytes80`,
    ),
    claim: claim(160, `admin:key distributor:key ${CLAIM} bonus_amount:u64 closable:bool`),
  },
  drift: {
    distributor: distributor(
      352,
      `${HEAD} token_vault:key ${COUNTS} total_amount_forgone:u64 ${TIMES} ${OWNERS} ${ENABLED}`,
    ),
    claim: claim(112, `${CLAIM} unlocked_amount_claimed:u64 closable:bool distributor:key`),
  },
  streamflow: {
    distributor: distributor(
      344,
      `${HEAD} token_vault:key max_total_claim:u64 max_num_nodes:u64 unlock_period:u64 total_amount_claimed:u64 ${TIMES}
       ${OWNERS} claims_closable_by_admin:bool can_update_duration:bool total_amount_unlocked:u64 total_amount_locked:u64
       last_duration_update_ts:u64 total_claimable_pre_update:u64 clawed_back_ts:u64 claims_closable_by_claimant:bool
       claims_limit:u16 creation_fee:u32 creation_fee_claimed:bool claim_min_fee:u32 claim_max_fee:u32
       allocation_factor:f64 claim_fee_claimed:bool token_price_lamports:u64 clawback_token_fee_percent:f64
       clawback_fee_claimed:bool program_version:u8 buffer:bytes13`,
    ),
    claim: claim(
      152,
      `${CLAIM} last_claim_ts:u64 last_amount_per_unlock:u64 closed:bool distributor:key claims_count:u16 closed_ts:u64
       buffer_2:bytes22`,
    ),
  },
} as const

export type DistributorFork = keyof typeof structs

export const distributorData = (fork: DistributorFork, values: FieldValues) => encode(structs[fork].distributor, values)

export const claimData = (fork: DistributorFork, values: FieldValues) => encode(structs[fork].claim, values)

/** Streamflow's remainder of a finished claim: 0 claimed, 1 closed. */
export const compressedClaimData = (state: bigint) => encode(struct('CompressedClaimStatus', 9, 'state:u8'), { state })

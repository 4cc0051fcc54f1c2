import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { unlessNotOffered } from '../../rpc/offers.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { randomAddress } from '../codec/address.ts'
import { CLOCK_SYSVAR, decodeClock } from '../codec/clock.ts'
import { TOKEN_PROGRAMS, type TokenAccount } from '../codec/token-program.ts'
import { accountsRequest, inShortest, TOKEN_ACCOUNTS, tokenAccountsRequest } from '../reader/account-requests.ts'

/** Each part is of a slot from `fromSlot` to `toSlot`. `time`: Unix seconds of the cluster's clock. */
export type FinalWallet = {
  fromSlot: bigint
  toSlot: bigint
  time: number
  lamports: bigint
  /** Includes empty ones. */
  tokenAccounts: readonly TokenAccount[]
}

/** Rejects with `UpstreamError`; with `NotOffered` if no endpoint lists token accounts. */
export function readFinalWallet(pool: RpcPool, wallet: SolanaAddress): Promise<FinalWallet> {
  return patientPool(pool)
    .session()
    .run((endpoint) => readBy(endpoint, wallet))
}

async function readBy(endpoint: RpcEndpoint, wallet: SolanaAddress): Promise<FinalWallet> {
  const terms = { least: 0n, timeoutMs: endpoint.limits.scanTimeoutMs, final: true } as const
  const listHeld = async (owner: SolanaAddress) => {
    const requests = TOKEN_PROGRAMS.map((program) => tokenAccountsRequest(owner, program, terms))
    return (await requestEach(endpoint, requests)).map(valueOrThrow)
  }
  const [{ slot, value }, held] = await Promise.all([
    inShortest(endpoint, 'getMultipleAccounts', (encoding) =>
      endpoint.request(accountsRequest([wallet, CLOCK_SYSVAR], { ...terms, encoding })),
    ),
    unlessNotOffered(
      endpoint,
      TOKEN_ACCOUNTS,
      () => listHeld(wallet),
      () => listHeld(randomAddress()),
    ),
  ])
  const [own, clock] = value
  const slots = [slot, ...held.map((each) => each.slot)].sort((a, b) => (a < b ? -1 : 1))
  return {
    fromSlot: slots[0] ?? slot,
    toSlot: slots.at(-1) ?? slot,
    time: decodeClock(clock ?? null).time,
    lamports: own?.lamports ?? 0n,
    tokenAccounts: held.flatMap((each) => each.value),
  }
}

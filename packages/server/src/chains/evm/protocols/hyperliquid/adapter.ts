import type { ContractFunctionReturnType } from 'viem'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { type PositionScope, type ProtocolAdapter, rowsByChain } from '../adapter.ts'
import {
  type Account,
  accountOf,
  accountPositions,
  CORE_DECIMALS,
  type Deployment,
  deployment,
  HYPE_LINK,
  linkOf,
  PERP_DECIMALS,
  toContract,
  usdcLinkOf,
} from './account.ts'
import chains from './chains.json' with { type: 'json' }
import { coreLens } from './core-lens.bytecode.ts'

const HYPE_GATE: EvmAddress = '0x2222222222222222222222222222222222222222'
/** 0x20, zeros, the token number. */
const TOKEN_GATE = /^0x20(?:00){11}[0-9a-f]{16}$/

/** HyperCore accounts, via read precompiles of HyperEVM. Amounts are what a transfer to HyperEVM would pay. */
export const hyperliquid: ProtocolAdapter<Deployment> = {
  name: 'hyperliquid',
  deployment,
  /**
   * Sources: hyperliquid-dev/hyper-evm-lib at 6abf28f (collaterals: USDC 0, USDH 360, USDe 235, USDT0 268); HLP:
   * Hyperliquid's documentation and DefiLlama; `lent`: documentation of portfolio margin.
   */
  rows: rowsByChain({ key: 'hyperliquid', name: 'Hyperliquid', siteUrl: 'https://app.hyperliquid.xyz' }, chains),
  lenses: [coreLens],
  readsEveryWallet: true,
  // Precompiles have no code; HyperCore accounts are not contracts.
  contracts: () => [],

  discover: async () => [],

  async positions(scope) {
    const { reader, wallet, deployment, leftOut } = scope
    const { collaterals, vaults, lent } = deployment
    const deposited = [wallet, vaults.map(({ vault }) => vault), lent.map(BigInt)] as const
    const [balances, deposits, [margins, isWhole]] = await Promise.all([
      readBalances(scope),
      reader.lens(coreLens, { functionName: 'deposits', args: deposited }),
      reader.lens(coreLens, { functionName: 'margins', args: [wallet, collaterals.map(BigInt)] }),
    ])
    if (!isWhole) leftOut(new Error('HyperCore has more exchanges of perpetuals than one call can ask'))
    const accounts = margins.flatMap((margin) => accountOf(margin, deployment, leftOut))
    return [
      ...spotPositions(balances, accounts, scope),
      ...accounts.flatMap(accountPositions),
      ...depositPositions(deposits, scope),
    ]
  },

  history: ({ usdcGate }) => ({
    purposes: {},
    isGate: (address) => address === HYPE_GATE || address === usdcGate || TOKEN_GATE.test(address),
  }),
}

type Scope = PositionScope<Deployment>
type Deposits = ContractFunctionReturnType<typeof coreLens.abi, 'view', 'deposits'>

const SECOND_MS = 1_000n
const PERP_UNIT = 10n ** BigInt(CORE_DECIMALS - PERP_DECIMALS)

function depositPositions(
  [stake, shares, refused, lent, time]: Deposits,
  { deployment, leftOut }: Scope,
): PositionDraft[] {
  for (const vault of refused) leftOut(new Error(`the vault ${vault} of HyperCore refused to be read`))
  for (const token of lent) leftOut(new Error(`token ${token} is lent or owed on HyperCore, which is not read`))
  const staked = (amount: bigint) => [toContract(amount, HYPE_LINK)]
  return [
    ...stake.delegations.map(({ at, amount, lockedUntil }): PositionDraft => {
      const pool = evmAddress(at)
      return { kind: 'staked', label: 'Delegated', pool, supplied: staked(amount), ...lock(lockedUntil, time) }
    }),
    { kind: 'staked', label: 'Not delegated', supplied: staked(stake.undelegated) },
    { kind: 'locked', label: 'Staking, withdrawal pending', supplied: staked(stake.pending) },
    ...shares.map(({ at, amount, lockedUntil }): PositionDraft => {
      const vault = evmAddress(at)
      const label = deployment.vaults.find((row) => row.vault === vault)?.label ?? ''
      const supplied = [toContract(amount * PERP_UNIT, usdcLinkOf(deployment))]
      return { kind: 'yield', label, pool: vault, supplied, ...lock(lockedUntil, time) }
    }),
  ]
}

/** Unix seconds, rounded up. */
function lock(lockedUntilMs: bigint, time: bigint): Partial<PositionDraft> {
  const until = (lockedUntilMs + SECOND_MS - 1n) / SECOND_MS
  return until > time ? { unlockAt: Number(until) } : {}
}

/** `hold`: held part of `total`. `used`: part of `value` that backs positions. */
type Collateral = Record<'total' | 'hold' | 'value' | 'used', bigint>

/** Prices move between a hold and the read. */
const tenth = (amount: bigint) => amount / 10n

/** Within the gas of a call. */
const PAGES = [
  [0n, 1_000n],
  [1_000n, 2n ** 64n - 1n],
] as const

type Balance = ContractFunctionReturnType<typeof coreLens.abi, 'view', 'balances'>[0][number]

async function readBalances({ reader, wallet, leftOut }: Scope): Promise<Balance[]> {
  const pages = await Promise.all(
    PAGES.map(([from, to]) => reader.lens(coreLens, { functionName: 'balances', args: [wallet, from, to] })),
  )
  if (pages.some(([, isWhole]) => !isWhole)) leftOut(new Error('HyperCore has more tokens than are asked for'))
  return pages.flatMap(([found]) => found)
}

function spotPositions(
  balances: readonly Balance[],
  accounts: readonly Account[],
  { deployment, leftOut }: Scope,
): PositionDraft[] {
  const posted = collateralsOf(balances, accounts)
  const keeping = keepingOf([...posted.values()])
  if (keeping === 'unsure')
    leftOut(new Error('the worth of perpetuals on HyperCore may lie beside spot balances that are shown less it'))
  const free: TokenAmount[] = []
  const ordered: TokenAmount[] = []
  const unlinked: number[] = []
  for (const balance of balances) {
    const number = Number(balance.token)
    const linked = linkOf(deployment, { ...balance, number })
    if (!linked) {
      unlinked.push(number)
      continue
    }
    const within = keeping === 'apart' ? undefined : posted.get(number)
    const shown = toContract(atLeastZero(balance.total - (within?.value ?? 0n)), linked)
    const held = toContract(atLeastZero(balance.hold - (within?.used ?? 0n)), linked)
    const rest = atLeastZero(shown.amountRaw - held.amountRaw)
    free.push({ ...shown, amountRaw: rest })
    ordered.push({ ...shown, amountRaw: shown.amountRaw - rest })
  }
  if (unlinked.length > 0) leftOut(new Error(`tokens of HyperCore without a known contract on HyperEVM: ${unlinked}`))
  return [
    { kind: 'deposit', label: 'Spot', supplied: free },
    { kind: 'locked', label: 'Spot, in open orders', supplied: ordered },
  ]
}

function collateralsOf(balances: readonly Balance[], accounts: readonly Account[]): Map<number, Collateral> {
  return new Map(
    [...Map.groupBy(accounts, ({ collateral }) => collateral)].map(([number, own]) => {
      const sum = (of: 'value' | 'used') => own.reduce((total, account) => total + account[of], 0n)
      const { total = 0n, hold = 0n } = balances.find(({ token }) => Number(token) === number) ?? {}
      return [number, { total, hold, value: sum('value'), used: sum('used') }]
    }),
  )
}

const atLeastZero = (amount: bigint) => (amount > 0n ? amount : 0n)

/**
 * Spot balances include perpetuals (`inside`: unified accounts, portfolio margin) or not (`apart`). Unified: spot
 * covers `value`, holds cover `used`. `unsure`: so do large open orders of a standard account.
 */
function keepingOf(collaterals: readonly Collateral[]): 'apart' | 'inside' | 'unsure' {
  const posted = collaterals.filter(({ used }) => used > 0n)
  const covers = ({ total, hold, value, used }: Collateral) => total >= value && hold >= used - tenth(used)
  if (posted.length === 0 || !posted.every(covers)) return 'apart'
  return posted.every(({ value, used }) => value <= used + tenth(used)) ? 'inside' : 'unsure'
}

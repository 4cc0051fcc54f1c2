import type { ContractFunctionReturnType } from 'viem'
import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { LeftOut } from '../adapter.ts'
import type { Account } from './account.ts'
import { coreLens } from './core-lens.bytecode.ts'
import { type Deployment, linkOf, toContract } from './tokens.ts'

/** `hold`: held part of `total`. `used`: part of `value` that backs positions. */
type Collateral = { total: bigint; hold: bigint; value: bigint; used: bigint }

/** Prices move between a hold and the read. */
const tenth = (amount: bigint) => amount / 10n

/** Within the gas of a call. */
const PAGES = [
  [0n, 1_000n],
  [1_000n, 2n ** 64n - 1n],
] as const

type Balance = ContractFunctionReturnType<typeof coreLens.abi, 'view', 'balances'>[0][number]

export async function readBalances(reader: EvmReader, wallet: EvmAddress, leftOut: LeftOut): Promise<Balance[]> {
  const pages = await Promise.all(
    PAGES.map(([from, to]) => reader.lens(coreLens, { functionName: 'balances', args: [wallet, from, to] })),
  )
  if (pages.some(([, isWhole]) => !isWhole)) leftOut(new Error('HyperCore has more tokens than are asked for'))
  return pages.flatMap(([found]) => found)
}

export function spotPositions(
  balances: readonly Balance[],
  accounts: readonly Account[],
  deployment: Deployment,
  leftOut: LeftOut,
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
  const spot = new Map(balances.map((balance) => [Number(balance.token), balance]))
  return new Map(
    [...Map.groupBy(accounts, ({ collateral }) => collateral)].map(([number, own]) => {
      const sum = (of: 'value' | 'used') => own.reduce((total, account) => total + account[of], 0n)
      const { total = 0n, hold = 0n } = spot.get(number) ?? {}
      return [number, { total, hold, value: sum('value'), used: sum('used') }]
    }),
  )
}

const atLeastZero = (amount: bigint) => (amount > 0n ? amount : 0n)

/**
 * Tells if spot balances include perpetuals (`inside`: unified accounts, portfolio margin) or not (`apart`). No
 * precompile reports it. In a unified account spot covers `value`, holds cover `used`. `unsure`: large open orders of a
 * standard account look the same.
 */
function keepingOf(collaterals: readonly Collateral[]): 'apart' | 'inside' | 'unsure' {
  const posted = collaterals.filter(({ used }) => used > 0n)
  const covers = ({ total, hold, value, used }: Collateral) => total >= value && hold >= used - tenth(used)
  if (posted.length === 0 || !posted.every(covers)) return 'apart'
  return posted.every(({ value, used }) => value <= used + tenth(used)) ? 'inside' : 'unsure'
}

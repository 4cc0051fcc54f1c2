/**
 * What an account has in one token, in the same units: its spot balance and the part of it that is held, and at exchanges
 * that settle in the token what its accounts are worth and what of it backs positions.
 */
export type Collateral = { total: bigint; hold: bigint; value: bigint; used: bigint }

/**
 * Whether the worth of an account's perpetuals is a part of its spot balances (`inside`: unified accounts and portfolio
 * margin) or beside them (`apart`: standard accounts). No precompile says it. A unified account shows all balances and
 * holds as spot, so that its spot balance covers what the perpetuals are worth, what backs positions is held there, and
 * nothing else lies at the exchanges. `unsure`: a standard account with large open orders may look the same.
 */
export function keepingOf(collaterals: readonly Collateral[]): 'apart' | 'inside' | 'unsure' {
  const posted = collaterals.filter(({ used }) => used > 0n)
  const covers = ({ total, hold, value, used }: Collateral) => total >= value && hold >= used - tenth(used)
  if (posted.length === 0 || !posted.every(covers)) return 'apart'
  return posted.every(({ value, used }) => value <= used + tenth(used)) ? 'inside' : 'unsure'
}

/** Prices move between the moment for which a hold stands and that of the read. */
const tenth = (amount: bigint) => amount / 10n

import { Amount } from '../../components/figures.tsx'
import { signOf } from '../../lib/money.ts'
import { fromBaseUnits } from '../../lib/units.ts'

const ETHER_DECIMALS = '18'

/** An amount of wei in ether, as text. */
export const toEther = (wei: string): string => fromBaseUnits(wei, ETHER_DECIMALS) ?? 'N/A'

/** An amount of wei as ether; a loss is told by its sign and its colour. */
export function Ether({ wei }: { wei: string }) {
  return <Amount value={toEther(wei)} symbol="ETH" {...(signOf(wei) < 0 && { className: 'text-bad' })} />
}

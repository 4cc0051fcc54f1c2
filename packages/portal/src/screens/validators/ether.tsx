import { Amount } from '../../components/figures.tsx'
import { signOf } from '../../lib/money.ts'
import { fromBaseUnits } from '../../lib/units.ts'

const ETHER_DECIMALS = '18'

export const toEther = (wei: string): string => fromBaseUnits(wei, ETHER_DECIMALS) ?? 'N/A'

/** A loss is shown by its sign and colour. */
export function Ether({ wei }: { wei: string }) {
  return <Amount value={toEther(wei)} symbol="ETH" {...(signOf(wei) < 0 && { className: 'text-bad' })} />
}

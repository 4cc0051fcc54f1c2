import { t } from '../lib/i18n.ts'
import { shortAddress } from './address.tsx'
import { Checkbox } from './input.tsx'

type WalletChoiceProps = {
  wallets: readonly string[]
  chosen: readonly string[]
  nameOf: (address: string) => string | undefined
  onChoose: (chosen: string[]) => void
}

export function WalletChoice({ wallets, chosen, nameOf, onChoose }: WalletChoiceProps) {
  const toggle = (wallet: string) => onChoose(wallets.filter((one) => chosen.includes(one) !== (one === wallet)))
  return (
    <fieldset className="grid gap-0.5">
      <legend className="text-sm font-medium">{t('Wallets')}</legend>
      {wallets.map((wallet) => (
        <Checkbox
          key={wallet}
          checked={chosen.includes(wallet)}
          onChange={() => toggle(wallet)}
          label={[nameOf(wallet), shortAddress(wallet)].filter(Boolean).join(' · ')}
        />
      ))}
    </fieldset>
  )
}

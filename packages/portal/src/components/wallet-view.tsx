import type { ReactNode } from 'react'
import type { Scope } from '../api/scope.ts'
import { type AddressFamily, onlyOf } from '../lib/addresses.ts'
import { t } from '../lib/i18n.ts'
import { useSearchState } from '../lib/search.ts'
import { shortAddress } from './address.tsx'
import { Field } from './field.tsx'
import { ScopeView } from './scope-picker.tsx'
import { Select } from './select.tsx'
import { EmptyState } from './states.tsx'

type WalletViewProps = {
  family: Exclude<AddressFamily, 'virtual'>
  children: (wallet: string, scope: Scope) => ReactNode
}

/** Shows one wallet of a family, chosen among the page's addresses. */
export function WalletView({ family, children }: WalletViewProps) {
  return <ScopeView>{(scope) => <OneOf scope={scope} family={family} view={children} />}</ScopeView>
}

type OneOfProps = { scope: Scope; family: WalletViewProps['family']; view: WalletViewProps['children'] }

function OneOf({ scope, family, view }: OneOfProps) {
  const [{ wallet: asked }, put] = useSearchState<'wallet'>()
  const wallets = onlyOf([family], scope.addresses)
  const wallet = wallets.find((one) => one === asked) ?? wallets[0]
  if (wallet === undefined) {
    return (
      <EmptyState title={family === 'evm' ? t('No EVM wallet selected') : t('No Solana wallet selected')}>
        {t('Select an address above, or enter one there.')}
      </EmptyState>
    )
  }
  return (
    <>
      {wallets.length > 1 && (
        <div className="w-80 max-w-full">
          <Field label={t('Wallet')}>
            {(control) => (
              <Select
                {...control}
                value={wallet}
                choices={wallets.map((value) => ({
                  value,
                  label: [scope.nameOf(value), shortAddress(value)].filter(Boolean).join(' · '),
                }))}
                onChoose={(value) => put({ wallet: value })}
              />
            )}
          </Field>
        </div>
      )}
      {view(wallet, scope)}
    </>
  )
}

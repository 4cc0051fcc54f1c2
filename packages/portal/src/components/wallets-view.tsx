import type { ReactNode } from 'react'
import type { Scope } from '../api/scope.ts'
import { walletsOf } from '../lib/addresses.ts'
import { t } from '../lib/i18n.ts'
import { ScopeView } from './scope-picker.tsx'
import { EmptyState } from './states.tsx'

export type WalletsOfScope = { wallets: readonly string[]; nameOf: Scope['nameOf'] }
type WalletsViewProps = {
  /** Text if there are only virtual users. */
  none: string
  children: (scope: WalletsOfScope) => ReactNode
}

/** Passes on the wallets among the page's addresses. */
export function WalletsView({ none, children }: WalletsViewProps) {
  return (
    <ScopeView>
      {({ addresses, nameOf }) => {
        const wallets = walletsOf(addresses)
        if (wallets.length > 0) return children({ wallets, nameOf })
        return <EmptyState title={t('The selection contains no wallet')}>{none}</EmptyState>
      }}
    </ScopeView>
  )
}

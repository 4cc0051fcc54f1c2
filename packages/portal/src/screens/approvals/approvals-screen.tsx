import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ScopePicker } from '../../components/scope-picker.tsx'
import { Select } from '../../components/select.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx'
import { WalletView } from '../../components/wallet-view.tsx'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { AllowanceTable } from './allowance-table.tsx'
import { type Allowance, type NameOf, passes, SHOWN, type Shown } from './allowances.ts'
import { RevokeDialog } from './revoke-dialog.tsx'
import { type ChainRead, useAllowances } from './use-allowances.ts'

export function Screen() {
  return (
    <Page
      title={t('Approvals')}
      lead={t('Spenders that may move tokens out of a wallet, and their allowances.')}
      actions={<ScopePicker />}
    >
      <WalletView family="evm">
        {(wallet, { nameOf }) => <WalletApprovals key={wallet} wallet={wallet} nameOf={nameOf} />}
      </WalletView>
    </Page>
  )
}

/** Pages of a chain per read. */
const DEPTH = 5

type WalletApprovalsProps = { wallet: string; nameOf: NameOf }

function WalletApprovals({ wallet, nameOf }: WalletApprovalsProps) {
  const [depth, setDepth] = useState(DEPTH)
  const { chains, reads, allowances, hasMore, isDeepening } = useAllowances(wallet, depth)
  return (
    <QueryView query={chains}>
      {() => (
        <>
          <Reads reads={reads} />
          <Allowances allowances={allowances} reads={reads} nameOf={nameOf} />
          {hasMore && (
            <div className="flex flex-wrap items-center gap-3 text-sm text-muted">
              {t('Older approvals of this wallet are not loaded yet.')}
              <Button size="sm" busy={isDeepening} onClick={() => setDepth(depth + DEPTH)}>
                {t('Load older')}
              </Button>
            </div>
          )}
        </>
      )}
    </QueryView>
  )
}

/** Chains that are not read: the list omits them. */
function Reads({ reads }: { reads: readonly ChainRead[] }) {
  const pending = reads.filter(({ isPending }) => isPending).map(({ name }) => name)
  return (
    <>
      {pending.length > 0 && (
        <p role="status" className="text-sm text-muted">
          {t('Searching {chains} …', { chains: pending.join(', ') })}
        </p>
      )}
      {reads
        .filter(({ error }) => error)
        .map(({ key, name, error, retry }) => (
          <section key={key} aria-label={name} className="grid gap-1">
            <p className="text-sm">{t('Approvals on {chain} are missing here:', { chain: name })}</p>
            <ErrorState error={error} onRetry={retry} />
          </section>
        ))}
    </>
  )
}

type AllowancesProps = {
  allowances: readonly Allowance[]
  reads: readonly ChainRead[]
  nameOf: NameOf
}

function Allowances({ allowances, reads, nameOf }: AllowancesProps) {
  const [{ show, chain = '' }, put] = useSearchState<'show' | 'chain'>()
  const [text, setText] = useState('')
  const [revoking, setRevoking] = useState<Allowance | null>(null)
  const shown = SHOWN.find((one) => one === show) ?? 'open'
  if (reads.every(({ isPending }) => isPending) && reads.length > 0) return <Skeleton lines={6} />
  if (allowances.length === 0) {
    const isRead = reads.every(({ isPending, error }) => !(isPending || error))
    return isRead ? <EmptyState title={t('This wallet has no approvals')} /> : null
  }
  const rows = allowances.filter((one) => (chain === '' || one.chain === chain) && passes(one, { shown, text, nameOf }))
  return (
    <>
      <Meaning allowances={allowances} />
      <div className="grid gap-3 sm:grid-cols-[1fr_12rem_12rem]">
        <Field label={t('Search')}>
          {(control) => (
            <Input
              {...control}
              type="search"
              placeholder={t('Token, spender or label')}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <Field label={t('Allowance')}>
          {(control) => (
            <Select
              {...control}
              value={shown}
              choices={SHOWN.map((value) => ({ value, label: nameOfShown(value) }))}
              onChoose={(value) => put({ show: value === 'open' ? '' : value })}
            />
          )}
        </Field>
        <Field label={t('Chain')}>
          {(control) => (
            <Select
              {...control}
              value={chain}
              choices={[
                { value: '', label: t('All chains') },
                ...reads.map(({ key, name }) => ({ value: key, label: name })),
              ]}
              onChoose={(value) => put({ chain: value })}
            />
          )}
        </Field>
      </div>
      {rows.length === 0 ? (
        <EmptyState title={t('No approval matches the filters')} />
      ) : (
        <AllowanceTable rows={rows} chains={reads} nameOf={nameOf} onRevoke={setRevoking} />
      )}
      {revoking && <RevokeDialog allowance={revoking} onClose={() => setRevoking(null)} />}
    </>
  )
}

function nameOfShown(shown: Shown): string {
  if (shown === 'open') return t('not revoked')
  if (shown === 'unlimited') return t('unlimited')
  if (shown === 'limited') return t('limited')
  return shown === 'revoked' ? t('revoked') : t('all')
}

function Meaning({ allowances }: { allowances: readonly Allowance[] }) {
  const open = allowances.filter(({ limit }) => limit !== 'revoked')
  const unlimited = open.filter(({ limit }) => limit === 'unlimited')
  return (
    <p className="max-w-prose text-sm text-muted">
      {t(
        '{n, plural, =0 {No approval is open} one {# approval is open} other {# approvals are open}}, {unlimited} of them unlimited.',
        {
          n: open.length,
          unlimited: unlimited.length,
        },
      )}{' '}
      {t(
        'A spender may take tokens of the wallet up to its allowance, now or later, without asking again. Amounts used since the approval are not subtracted here.',
      )}
    </p>
  )
}

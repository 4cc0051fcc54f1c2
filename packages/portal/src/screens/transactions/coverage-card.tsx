import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { renew, useAccount, useMay } from '../../api/queries.ts'
import { Address } from '../../components/address.tsx'
import { Badge, type Tone } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Moment } from '../../components/figures.tsx'
import { t } from '../../lib/i18n.ts'
import { coverageOf, type WalletCoverage } from './coverage.ts'
import type { Coverage, Sync } from './transaction.ts'
import { PATH, statusQuery } from './use-transactions.ts'

type CoverageCardProps = {
  wallets: readonly string[]
  coverage: readonly Coverage[]
  syncs: readonly Sync[]
  nameOf: (address: string) => string | undefined
  onSync: () => void
}

export function CoverageCard({ wallets, coverage, syncs, nameOf, onSync }: CoverageCardProps) {
  const account = useAccount()
  const isOwner = useMay('owner')
  const status = useQuery(statusQuery(account.id, wallets))
  const ofWallets = coverageOf({ wallets, coverage, syncs, statuses: status.data ?? [] })
  const isRunning = ofWallets.some(({ state }) => state === 'running')
  useRenewalAtEnd(isRunning)
  const isWhole = ofWallets.every(({ state, chains }) => state === 'done' && chains.every(({ gap }) => gap === null))
  return (
    <Card
      title={t('Sync status')}
      aside={
        isOwner && (
          <Button size="sm" onClick={onSync}>
            {t('Sync…')}
          </Button>
        )
      }
    >
      <p role="status" className="mb-2 text-sm text-muted">
        {isWhole
          ? t('All chains are synced up to the blocks below, without gaps.')
          : t('The list below may be incomplete. “By wallet and chain” shows what is missing.')}
      </p>
      <details open={!isWhole || isRunning}>
        <summary className="w-fit rounded text-sm font-medium">{t('By wallet and chain')}</summary>
        <ul className="mt-2 grid gap-4">
          {ofWallets.map((one) => (
            <li key={one.address} className="grid gap-1.5">
              <WalletState one={one} label={nameOf(one.address)} />
              <ul className="grid gap-1.5 sm:grid-cols-2 sm:gap-x-6">
                {one.chains.map((chain) => (
                  <li key={chain.chain}>
                    <ChainBar chain={chain} isRunning={one.state === 'running'} />
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      </details>
    </Card>
  )
}

/** Refetches the list when a search ends. */
function useRenewalAtEnd(isRunning: boolean): void {
  const account = useAccount()
  const before = useRef(isRunning)
  useEffect(() => {
    if (before.current && !isRunning) void renew(account.id, PATH)
    before.current = isRunning
  }, [isRunning, account.id])
}

function WalletState({ one, label }: { one: WalletCoverage; label: string | undefined }) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <Address address={one.address} {...(label && { label })} />
      <Badge tone={tones[one.state]}>{stateName(one.state)}</Badge>
      {one.lastSync && (
        <span className="text-[0.8125rem] text-muted">
          {t('last synced')} <Moment relative at={one.lastSync} />
        </span>
      )}
      {one.state === 'running' && (
        <span className="text-[0.8125rem] text-muted">
          {t('{n, plural, =0 {no new one so far} one {# new one so far} other {# new ones so far}}', {
            n: one.newTransactions,
          })}
        </span>
      )}
      <span className="basis-full text-[0.8125rem] text-muted">{explanationOf(one)}</span>
    </div>
  )
}

const tones: Readonly<Record<WalletCoverage['state'], Tone>> = {
  never: 'neutral',
  running: 'accent',
  paused: 'warn',
  failed: 'bad',
  done: 'good',
  'done-with-gaps': 'warn',
}

function stateName(state: WalletCoverage['state']): string {
  if (state === 'never') return t('never synced')
  if (state === 'running') return t('syncing')
  if (state === 'paused') return t('paused')
  if (state === 'done-with-gaps') return t('synced, with gaps')
  return state === 'failed' ? t('failed') : t('synced')
}

/** Explains a state; reason and advice are the service's texts. */
function explanationOf({ state, reason, advice }: WalletCoverage): string {
  if (state === 'done-with-gaps') return advice ?? ''
  if (state === 'never') return reason ?? t('Start a sync to list its transactions.')
  if (state === 'paused')
    return t('Paused: {reason}. Paid progress is kept. Start the sync again to continue.', { reason })
  return state === 'failed'
    ? t('Stopped early: {reason}. Start the sync again to continue where it stopped.', { reason })
    : ''
}

type ChainBarProps = { chain: WalletCoverage['chains'][number]; isRunning: boolean }

function ChainBar({ chain: { chain: key, share, blocks, ...rest }, isRunning }: ChainBarProps) {
  // A running search is still on its way to the end.
  const gap = isRunning && rest.gap === 'unfinished' ? null : rest.gap
  return (
    <div className="grid grid-cols-[6rem_minmax(0,1fr)] items-center gap-x-2 text-[0.8125rem]">
      <span className="truncate">{key}</span>
      <span
        role="progressbar"
        aria-label={t('Sync progress of {chain}', { chain: key })}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(share * 100)}
        className="h-1.5 overflow-hidden rounded bg-sunken"
      >
        <span className={`block h-full ${gap ? 'bg-warn' : 'bg-accent'}`} style={{ width: `${share * 100}%` }} />
      </span>
      <span className="col-start-2 text-muted">
        {blocks}
        {gap && <span className="text-warn"> {gapText(gap)}</span>}
      </span>
    </div>
  )
}

function gapText(gap: NonNullable<WalletCoverage['chains'][number]['gap']>): string {
  if (gap === 'pruned') return t('The nodes have pruned older history.')
  if (gap === 'replaced-chain') return t('The only node serves a chain without some of these blocks.')
  if (gap === 'not-offered') return t('The nodes do not serve logs.')
  return gap === 'incomplete' ? t('Data is missing in these blocks.') : t('The sync is not finished yet.')
}

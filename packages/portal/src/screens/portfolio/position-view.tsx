import type { HeldAsset } from '../../api/holdings.ts'
import { Address } from '../../components/address.tsx'
import { Badge, type Tone } from '../../components/badge.tsx'
import { FactLine } from '../../components/fact.tsx'
import { Amount, Change, Moment, Money, Price } from '../../components/figures.tsx'
import { HeldAmount, Worth } from '../../components/worth.tsx'
import { symbolOf } from '../../lib/assets.ts'
import { t } from '../../lib/i18n.ts'
import { formatAmount } from '../../lib/money.ts'
import { compareDecimals } from '../../lib/pixels.ts'
import { fromUnixSeconds } from '../../lib/time.ts'
import type { AssetList, Entry, Side } from './rows.ts'
import { WhyAsset } from './why-asset.tsx'

type PositionViewProps = { entry: Entry; protocol: string; owner: string; showsOwner: boolean }

export function PositionView({ entry, protocol, owner, showsOwner }: PositionViewProps) {
  const path = [owner, protocol, entry.type, entry.name].filter(Boolean)
  return (
    <article className="grid gap-2" aria-label={`${entry.type} ${entry.name}`}>
      <header className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="flex min-w-0 flex-wrap items-baseline gap-2 text-sm font-medium">
          <span className="min-w-0">{entry.name || entry.type}</span>
          {entry.name && <Badge>{entry.type}</Badge>}
          <span className="text-[0.8125rem] font-normal text-muted">
            {[entry.chain.name, showsOwner && owner].filter(Boolean).join(' · ')}
          </span>
        </h3>
        <Money value={entry.value} className="ms-auto text-sm font-medium" />
      </header>
      <Facts entry={entry} />
      {entry.lists.map((list) => (
        <Assets key={list.side} list={list} entry={entry} path={path} />
      ))}
    </article>
  )
}

/** Facts of a position other than its assets. */
function Facts({ entry: { health, unlockAt, perpetual, openPnl, contract } }: { entry: Entry }) {
  return (
    <dl className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[0.8125rem]">
      {health !== null && (
        <FactLine name={t('Health')}>
          <Badge tone={healthTone(health)} title={health}>
            {formatAmount(health)}
          </Badge>
        </FactLine>
      )}
      {unlockAt !== null && (
        <FactLine name={t('Unlocks')}>
          <UnlockTime seconds={unlockAt} />
        </FactLine>
      )}
      {openPnl !== 'N/A' && (
        <FactLine name={t('Unrealised gain')}>
          <Change value={openPnl} />
        </FactLine>
      )}
      {perpetual && <PerpetualFacts perpetual={perpetual} />}
      {contract !== null && (
        <FactLine name={t('Contract')}>
          <Address address={contract} />
        </FactLine>
      )}
    </dl>
  )
}

/** Contracts write a time outside the calendar for an endless lock. */
function UnlockTime({ seconds }: { seconds: string }) {
  const moment = fromUnixSeconds(seconds)
  return moment ? <Moment at={moment} /> : <span title={seconds}>{t('at no set time')}</span>
}

function PerpetualFacts({ perpetual }: { perpetual: NonNullable<Entry['perpetual']> }) {
  return (
    <>
      <FactLine name={t('Side')}>{perpetual.side === 'short' ? t('short') : t('long')}</FactLine>
      <FactLine name={t('Size')}>
        <Amount value={perpetual.size ?? 'N/A'} />
      </FactLine>
      <FactLine name={t('Entry price')}>
        <Price value={perpetual.entryPrice ?? 'N/A'} />
      </FactLine>
      <FactLine name={t('Leverage')}>
        <Amount value={perpetual.leverage ?? 'N/A'} />
      </FactLine>
      <FactLine name={t('Margin used')}>
        <Money value={perpetual.marginUsed ?? 'N/A'} />
      </FactLine>
      <FactLine name={t('Liquidation price')}>
        <Price value={perpetual.liquidationPrice ?? 'N/A'} />
      </FactLine>
    </>
  )
}

/** Below 1 a loan can be liquidated. */
function healthTone(health: string): Tone {
  if (compareDecimals(health, '1.1') < 0) return 'bad'
  return compareDecimals(health, '1.5') < 0 ? 'warn' : 'good'
}

function sideName(side: Side): string {
  switch (side) {
    case 'supplied':
      return t('Supplied')
    case 'borrowed':
      return t('Borrowed')
    case 'rewards':
      return t('Rewards')
    case 'margin':
      return t('Margin')
    case 'base':
      return t('Base')
    case 'quote':
      return t('Quote')
  }
}

function Assets({ list, entry, path }: { list: AssetList; entry: Entry; path: readonly string[] }) {
  const name = sideName(list.side)
  return (
    <div className="grid gap-x-3 sm:grid-cols-[6rem_minmax(0,1fr)]">
      <h4 className="pt-1 text-[0.8125rem] text-muted">{name}</h4>
      <ul aria-label={name}>
        {list.assets.map((asset, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a position may hold a token twice; the list never changes order.
            key={index}
            className="flex flex-wrap items-center justify-between gap-x-3 text-sm"
          >
            <HeldAmount asset={asset} symbol={symbolOf(asset)} className="max-w-full truncate" />
            <ValueOf asset={asset} entry={entry} path={[...path, name]} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function ValueOf({ asset, entry, path }: { asset: HeldAsset; entry: Entry; path: readonly string[] }) {
  return (
    <span className="ms-auto">
      <Worth asset={asset} />
      <WhyAsset holding={entry.holding} asset={asset} path={path} />
    </span>
  )
}

import type { ReactNode } from 'react'
import { type Holding, refreshHoldings, useHoldings, usePastHoldings } from '../../api/holdings.ts'
import { useAccount } from '../../api/queries.ts'
import { addressOf } from '../../api/request.ts'
import { type Scope, useScope } from '../../api/scope.ts'
import { shortAddress } from '../../components/address.tsx'
import { AsOf } from '../../components/as-of.tsx'
import { Button, buttonClass } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Failure } from '../../components/failure.tsx'
import { Money } from '../../components/figures.tsx'
import { Gaps, IncompleteLine } from '../../components/gaps.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ScopePicker, ScopeView } from '../../components/scope-picker.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useWork } from '../../components/use-work.ts'
import { walletsOf } from '../../lib/addresses.ts'
import { curlOf } from '../../lib/curl.ts'
import { sumDecimals } from '../../lib/decimals.ts'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { dateOf, isMoment, MomentField } from './moment-field.tsx'
import { ProtocolCard } from './protocol-card.tsx'
import { protocolSections, tokenRows } from './rows.ts'
import { TokensCard } from './tokens-card.tsx'

export function Screen() {
  const { addresses } = useScope()
  const { id: account } = useAccount()
  const [moment] = useMoment()
  const shown = moment ? walletsOf(addresses) : addresses
  return (
    <Page
      title={t('Holdings')}
      lead={t('Tokens and positions. Each figure is from one block.')}
      actions={
        <>
          <ScopePicker />
          {shown.length > 0 && (
            <>
              <CopyButton
                text={curlOf(shown, location.origin, moment && dateOf(moment))}
                label={t('Copy as curl')}
                name={t('these holdings')}
              />
              <a
                download
                href={statementAddress(account, shown, moment && dateOf(moment))}
                className={buttonClass({ size: 'sm' })}
              >
                {t('Printable statement')}
              </a>
            </>
          )}
        </>
      }
    >
      <ScopeView>{(scope) => <Holdings scope={scope} />}</ScopeView>
    </Page>
  )
}

const statementAddress = (account: string, addresses: readonly string[], date: string | undefined) =>
  addressOf('/accounts/:account/v1/holdings/export', { params: { account }, query: { addresses, date } })

/** Undefined for the present. */
function useMoment(): [moment: string | undefined, put: (moment: string) => void] {
  const [{ at }, put] = useSearchState<'at'>()
  return [isMoment(at) ? at : undefined, (next) => put({ at: next })]
}

function Holdings({ scope }: { scope: Scope }) {
  const [moment, put] = useMoment()
  return (
    <>
      <MomentField moment={moment} put={put} />
      {moment === undefined ? <Present scope={scope} /> : <Past scope={scope} moment={moment} />}
    </>
  )
}

function Present({ scope }: { scope: Scope }) {
  return (
    <QueryView query={useHoldings(scope.addresses)} lines={10}>
      {(holdings) => (
        <Shown holdings={holdings} scope={scope}>
          <Refresh addresses={scope.addresses} />
        </Shown>
      )}
    </QueryView>
  )
}

function Past({ scope, moment }: { scope: Scope; moment: string }) {
  const past = usePastHoldings(scope.addresses, dateOf(moment))
  const wallets = walletsOf(scope.addresses)
  if (wallets.length === 0) {
    return <EmptyState title={t('No holdings')}>{t('Virtual users have no past blocks.')}</EmptyState>
  }
  return (
    <>
      {wallets.length < scope.addresses.length && (
        <p className="text-sm text-muted">{t('Virtual users have no past blocks and are not included.')}</p>
      )}
      <QueryView query={past} lines={10}>
        {(holdings) => <Shown holdings={holdings} scope={scope} isPast />}
      </QueryView>
    </>
  )
}

type ShownProps = { holdings: readonly Holding[]; scope: Scope; isPast?: boolean; children?: ReactNode }

/** `children` follow the net worth. */
function Shown({ holdings, scope, isPast = false, children }: ShownProps) {
  const nameOf = (address: string) => scope.nameOf(address) ?? shortAddress(address)
  return (
    <>
      <Summary holdings={holdings} nameOf={nameOf} isPast={isPast}>
        {children}
      </Summary>
      <Gaps holdings={holdings} nameOf={nameOf} />
      <Found holdings={holdings} nameOf={nameOf} />
    </>
  )
}

type FoundProps = { holdings: readonly Holding[]; nameOf: (address: string) => string }

function Found({ holdings, nameOf }: FoundProps) {
  const tokens = tokenRows(holdings)
  const sections = protocolSections(holdings)
  if (tokens.length + sections.length === 0) {
    return (
      <EmptyState title={t('No holdings')}>
        {t('The service found no tokens or positions on the chains that it reads.')}
      </EmptyState>
    )
  }
  return (
    <>
      <TokensCard rows={tokens} hasSeveral={holdings.length > 1} nameOf={nameOf} />
      <div className="-mb-4 gap-4 xl:columns-2">
        {sections.map((section) => (
          <div key={section.key} className="mb-4 break-inside-avoid">
            <ProtocolCard section={section} hasSeveral={holdings.length > 1} nameOf={nameOf} />
          </div>
        ))}
      </div>
    </>
  )
}

function Summary({ holdings, nameOf, isPast, children }: FoundProps & { isPast: boolean; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <span data-figure="net-worth" className="text-2xl font-semibold tracking-tight">
        <Money value={sumDecimals(holdings.map(({ networth }) => networth))} />
      </span>
      <AsOf holdings={holdings} nameOf={nameOf} isPast={isPast} />
      {children}
      <IncompleteLine holdings={holdings} />
    </div>
  )
}

function Refresh({ addresses }: { addresses: readonly string[] }) {
  const { id } = useAccount()
  const work = useWork()
  return (
    <>
      <Button
        size="sm"
        busy={work.busy}
        title={t('Reads again where the last read is older than a minute.')}
        onClick={() => void work.run(() => refreshHoldings(id, addresses))}
      >
        {t('Refresh')}
      </Button>
      <Failure text={work.error} />
    </>
  )
}

import type { TRANSACTION_TYPES } from '@coffer/contract'
import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAccount, useV1, v1Query } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Checkbox, Input } from '../../components/input.tsx'
import { Select } from '../../components/select.tsx'
import { t } from '../../lib/i18n.ts'
import { useSearchChange } from '../../lib/search.ts'
import { FILTERS, type Filter, type FilterName, filterOf, narrowedBy, partsOf } from './filter.ts'
import { TYPE_NAMES, typeName } from './type-names.ts'

/** Every filter, kept in the URL; all but the text are folded while none is set. */
export function FilterBar({ filter }: { filter: Filter }) {
  const change = useSearchChange()
  const narrowed = narrowedBy(filter) - (filter.initialSearchText === undefined ? 0 : 1)
  return (
    // Resets the form when the URL has other filters.
    <form
      key={JSON.stringify(filter)}
      aria-label={t('Filters')}
      onSubmit={(event) => {
        event.preventDefault()
        change(filterOf(new FormData(event.currentTarget)))
      }}
      className="grid gap-3 rounded-lg border border-line bg-surface p-3"
    >
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-3 sm:grid-cols-[minmax(0,1fr)_11rem_auto]">
        <div className="col-span-2 sm:col-span-1">
          <TextFilter
            name="initialSearchText"
            label={t('Hash, token, protocol or function')}
            filter={filter}
            maxLength={255}
          />
        </div>
        <Field label={t('Order')}>
          {(control) => (
            <Select
              {...control}
              value={filter.sort === 'ASC' ? 'ASC' : 'DESC'}
              choices={[
                { value: 'DESC', label: t('Newest first') },
                { value: 'ASC', label: t('Oldest first') },
              ]}
              onChoose={(sort) => change({ sort: sort === 'ASC' ? sort : undefined })}
            />
          )}
        </Field>
        <Button look="primary" type="submit">
          {t('Apply')}
        </Button>
      </div>
      <details open={narrowed > 0} className="text-sm">
        <summary className="w-fit rounded font-medium">
          {t('{n, plural, =0 {More filters} other {More filters: # set}}', { n: narrowed })}
        </summary>
        <Narrowing filter={filter} />
      </details>
      {narrowedBy(filter) > 0 && (
        <Button size="sm" className="justify-self-start" onClick={() => change(nothing())}>
          {t('Clear filters')}
        </Button>
      )}
    </form>
  )
}

function Narrowing({ filter }: { filter: Filter }) {
  const chains = useReadChains()
  return (
    <div className="mt-3 grid gap-4">
      <div className="grid items-start gap-3 sm:grid-cols-2 lg:grid-cols-5">
        <TextFilter name="startDate" label={t('From day (UTC)')} filter={filter} type="date" />
        <TextFilter name="endDate" label={t('To day (UTC)')} filter={filter} type="date" />
        <ProtocolFilter filter={filter} chains={chains} />
        <TextFilter
          name="interactingAddresses"
          label={t('Counterparty addresses')}
          filter={filter}
          hint={t('Separate several with commas.')}
        />
        <TextFilter
          name="tokenId"
          label={t('Token ID of an NFT')}
          filter={filter}
          inputMode="numeric"
          pattern="0|[1-9][0-9]{0,77}"
        />
      </div>
      <Several name="networks" title={t('Chains')} filter={filter} choices={chains} />
      <Several name="txTypes" title={t('Types')} filter={filter} choices={types()} />
      <div className="flex flex-wrap gap-x-6">
        <Checkbox name="hideSpam" value="true" defaultChecked={filter.hideSpam === 'true'} label={t('Hide spam')} />
        <Checkbox
          name="hideDust"
          value="true"
          defaultChecked={filter.hideDust === 'true'}
          label={t('Hide values below one cent')}
        />
      </div>
    </div>
  )
}

const nothing = () => Object.fromEntries(FILTERS.map((name) => [name, undefined]))

type Choice = { value: string; label: string }

const types = (): Choice[] =>
  (Object.keys(TYPE_NAMES) as (typeof TRANSACTION_TYPES)[number][])
    .map((value) => ({ value, label: typeName(value) }))
    .sort((a, b) => a.label.localeCompare(b.label))

function useReadChains(): Choice[] {
  const chains = useV1('/v1/chains')
  return (chains.data ?? [])
    .filter(({ isTransactionsSupported }) => isTransactionsSupported)
    .map(({ key, name }) => ({ value: key, label: name }))
}

type TextFilterProps = { name: FilterName; label: string; filter: Filter; hint?: ReactNode } & Pick<
  React.ComponentProps<'input'>,
  'type' | 'maxLength' | 'pattern' | 'list' | 'inputMode'
>

function TextFilter({ name, label, filter, hint, ...rest }: TextFilterProps) {
  return (
    <Field label={label} {...(hint && { hint })}>
      {(control) => (
        <Input
          {...control}
          {...rest}
          name={name}
          autoComplete="off"
          spellCheck={false}
          defaultValue={filter[name] ?? ''}
        />
      )}
    </Field>
  )
}

type SeveralProps = { name: FilterName; title: string; filter: Filter; choices: readonly Choice[] }

/** Multiple choice; a value that only the URL has is a choice too. */
function Several({ name, title, filter, choices }: SeveralProps) {
  const chosen = partsOf(filter[name])
  const isChosen = (value: string) => chosen.some((part) => part.toLowerCase() === value.toLowerCase())
  const known = new Set(choices.map(({ value }) => value.toLowerCase()))
  const others = chosen.filter((part) => !known.has(part.toLowerCase())).map((value) => ({ value, label: value }))
  return (
    <fieldset className="grid grid-cols-2 gap-x-4 sm:grid-cols-4 lg:grid-cols-6">
      <legend className="mb-0.5 font-medium">{title}</legend>
      {[...choices, ...others].map(({ value, label }) => (
        <Checkbox key={value} name={name} value={value} defaultChecked={isChosen(value)} label={label} />
      ))}
    </fieldset>
  )
}

function ProtocolFilter({ filter, chains }: { filter: Filter; chains: readonly Choice[] }) {
  const protocols = useProtocols(chains)
  return (
    <div>
      <TextFilter
        name="protocols"
        label={t('Protocols')}
        filter={filter}
        list="transaction-protocols"
        hint={t('Protocol keys. Separate several with commas.')}
      />
      <datalist id="transaction-protocols">
        {protocols.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </datalist>
    </div>
  )
}

const PROTOCOLS_MAX = 100

function useProtocols(chains: readonly Choice[]): Choice[] {
  const { id } = useAccount()
  const path = '/v1/chains/:chainKey/protocols'
  const lists = useQueries({
    queries: chains.map(({ value: chainKey }) =>
      v1Query(id, path, { params: { chainKey }, query: { limit: PROTOCOLS_MAX } }),
    ),
  })
  const all = lists.flatMap((list) => list.data?.data ?? []).map(({ key, name }) => [key, name] as const)
  return [...new Map(all)].map(([value, label]) => ({ value, label }))
}

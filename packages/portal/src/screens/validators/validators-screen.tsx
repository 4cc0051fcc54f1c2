import { type FormEvent, useEffect, useState } from 'react'
import { useAccount, useV1 } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Page } from '../../components/page.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { DetailsCard, type ValidatorDetails } from './details-card.tsx'
import { Deposits, Withdrawals } from './movements.tsx'
import { useRecentValidators } from './recent.ts'
import { Rewards } from './rewards.tsx'
import { readValidatorName, type ValidatorName } from './validator-name.ts'

export function Screen() {
  const [{ validator = '' }, put] = useSearchState<'validator'>()
  const recent = useRecentValidators(useAccount().id)
  const name = readValidatorName(validator)
  const show = (text: string) => put({ validator: text })
  return (
    <Page title={t('Validators')} lead={t('Balance, rewards and missed duties of a validator on the beacon chain.')}>
      <ValidatorForm key={validator} initial={validator} recent={recent.names} onShow={show} />
      {name ? (
        <Validator name={name} onFound={recent.add} />
      ) : (
        <EmptyState title={t('No validator selected')}>
          {t('Enter the index of a validator or its public key of 96 hexadecimal digits.')}
        </EmptyState>
      )}
    </Page>
  )
}

type ValidatorFormProps = { initial: string; recent: readonly string[]; onShow: (name: string) => void }

function ValidatorForm({ initial, recent, onShow }: ValidatorFormProps) {
  const [text, setText] = useState(initial)
  const [isWrong, setWrong] = useState(initial !== '' && readValidatorName(initial) === null)
  const send = (event: FormEvent) => {
    event.preventDefault()
    setWrong(readValidatorName(text) === null)
    if (readValidatorName(text)) onShow(text.trim())
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <form onSubmit={send} className="flex flex-wrap items-start gap-2">
        <div className="w-[32rem] max-w-full">
          <Field
            label={t('Index or public key')}
            error={isWrong ? t('This is neither an index nor a public key of 96 hexadecimal digits.') : null}
          >
            {(control) => (
              <Input
                {...control}
                required
                autoComplete="off"
                spellCheck={false}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
        </div>
        <Button type="submit" look="primary" className="sm:mt-6">
          {t('Show')}
        </Button>
      </form>
      {recent.length > 0 && (
        <p className="flex flex-wrap items-center gap-1.5 text-sm text-muted">
          {t('Recently viewed:')}
          {recent.map((index) => (
            <Button key={index} size="sm" look="ghost" onClick={() => onShow(index)}>
              {index}
            </Button>
          ))}
        </p>
      )}
    </div>
  )
}

type ValidatorProps = { name: ValidatorName; onFound: (index: string) => void }

const Validator = ({ name, onFound }: ValidatorProps) =>
  'index' in name ? (
    <ByIndex index={name.index} onFound={onFound} />
  ) : (
    <ByPubkey pubkey={name.pubkey} onFound={onFound} />
  )

function ByIndex({ index, onFound }: { index: string; onFound: ValidatorProps['onFound'] }) {
  const details = useV1('/v1/beacon/validators/details/index/:index', { params: { index } })
  return <QueryView query={details}>{(found) => <Found details={found} onFound={onFound} />}</QueryView>
}

function ByPubkey({ pubkey, onFound }: { pubkey: string; onFound: ValidatorProps['onFound'] }) {
  const details = useV1('/v1/beacon/validators/details/pubkey/:pubkey', { params: { pubkey } })
  return <QueryView query={details}>{(found) => <Found details={found} onFound={onFound} />}</QueryView>
}

const TABS = ['rewards', 'withdrawals', 'deposits'] as const

function Found({ details, onFound }: { details: ValidatorDetails; onFound: ValidatorProps['onFound'] }) {
  const [{ tab }, put] = useSearchState<'tab'>()
  const { index } = details.validator
  // biome-ignore lint/correctness/useExhaustiveDependencies: noted once for each validator that is found.
  useEffect(() => onFound(index), [index])
  return (
    <>
      <DetailsCard details={details} />
      <Tabs
        name={t('History')}
        value={TABS.find((one) => one === tab) ?? 'rewards'}
        onChoose={(value) => put({ tab: value === 'rewards' ? '' : value })}
        tabs={[
          { value: 'rewards', label: t('Rewards'), content: <Rewards index={index} /> },
          { value: 'withdrawals', label: t('Withdrawals'), content: <Withdrawals index={index} /> },
          { value: 'deposits', label: t('Deposits'), content: <Deposits index={index} /> },
        ]}
      />
    </>
  )
}

import type { ReactNode } from 'react'
import { Field } from '../../components/field.tsx'
import { Input } from '../../components/input.tsx'
import { Select } from '../../components/select.tsx'
import { onlyOf } from '../../lib/addresses.ts'
import { t } from '../../lib/i18n.ts'
import { bodyOf, type Draft, type DraftField, type problemOf } from './draft.ts'
import { directionNames, typeNames } from './watch-names.ts'

export type WatchChoices = {
  /** From the address book. */
  wallets: readonly { address: string; label: string }[]
  /** Only chains whose wallets are read. */
  chains: readonly { key: string; name: string }[]
}

type WatchFormProps = WatchChoices & {
  draft: Draft
  problem: ReturnType<typeof problemOf>
  onChange: (draft: Draft) => void
}
type TextName = Exclude<DraftField, 'chain' | 'direction'>
type TextOptions = { hint?: ReactNode; list?: string; inputMode?: 'decimal' }

const choicesOf = <Key extends string>(names: Readonly<Record<Key, () => string>>) =>
  (Object.keys(names) as Key[]).map((value) => ({ value, label: names[value]() }))

/** The type decides the other fields. */
export function WatchForm({ draft, problem, wallets, chains, onChange }: WatchFormProps) {
  const body = bodyOf(draft)
  const errorOf = (name: DraftField) => (problem?.field === name ? problem.text : null)
  const text = (name: TextName, label: string, { hint, ...rest }: TextOptions = {}) =>
    name in body && (
      <Field label={label} error={errorOf(name)} {...(hint && { hint })}>
        {(control) => (
          <Input
            {...control}
            {...rest}
            required
            autoComplete="off"
            spellCheck={false}
            value={draft[name]}
            onChange={(event) => onChange({ ...draft, [name]: event.target.value })}
          />
        )}
      </Field>
    )
  const choice = <Key extends string>(
    name: 'type' | 'chain' | 'direction',
    label: string,
    choices: readonly { value: Key; label: string }[],
  ) =>
    name in body && (
      <Field label={label} error={name === 'type' ? null : errorOf(name)}>
        {(control) => (
          <Select
            {...control}
            value={draft[name] as Key}
            choices={choices}
            onChoose={(value) => onChange({ ...draft, [name]: value })}
          />
        )}
      </Field>
    )
  const chainChoices = chains.map(({ key, name }) => ({ value: key, label: name }))
  return (
    <>
      {choice('type', t('Kind'), choicesOf(typeNames))}
      {text('address', t('Wallet'), { list: 'watched-wallets', hint: walletHint(draft.type) })}
      <datalist id="watched-wallets">
        {walletsFor(draft.type, wallets).map(({ address, label }) => (
          <option key={address} value={address}>
            {label}
          </option>
        ))}
      </datalist>
      {choice('chain', t('Chain'), chainChoices)}
      {text('contract', t('Token'), { hint: t('Its contract; all zeros for the native coin of an EVM chain.') })}
      {choice('direction', t('Notify when the value is'), choicesOf(directionNames))}
      {text('threshold', t('Threshold'), { hint: thresholdHint(draft.type), inputMode: 'decimal' })}
      {text('validator', t('Validator'), { hint: t('Its index or its public key.') })}
    </>
  )
}

const walletsFor = (type: Draft['type'], wallets: WatchChoices['wallets']): WatchChoices['wallets'] =>
  wallets.filter(({ address }) => onlyOf(type === 'airdrops' ? ['solana'] : ['evm', 'solana'], [address]).length > 0)

const walletHint = (type: Draft['type']): string =>
  type === 'airdrops' ? t('A Solana wallet, saved or not.') : t('Any wallet, saved or not.')

function thresholdHint(type: Draft['type']): string {
  if (type === 'credits') return t('Triggers an event when fewer credits are left.')
  return type === 'netWorth'
    ? t('In USD, with a point for decimals.')
    : t('In units of the token, with a point for decimals.')
}

import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { defaultOf, membersOf, partly, type Scope, useScope } from '../api/scope.ts'
import { readAddresses, SCOPE_MAX, walletsOf } from '../lib/addresses.ts'
import { t } from '../lib/i18n.ts'
import { shortAddress } from './address.tsx'
import { Button } from './button.tsx'
import { Actions, Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { Checkbox, TextArea } from './input.tsx'
import { EmptyState, Skeleton } from './states.tsx'

/** Shows and changes the page's scope; one of a page's actions. */
export function ScopePicker() {
  const scope = useScope()
  const [isOpen, setOpen] = useState(false)
  // People copy the URL, so it names the addresses.
  useEffect(() => {
    if (scope.isRemembered) scope.setAddresses(scope.addresses)
  })
  const label = scope.isPending ? t('Loading') : shorten(scope.label)
  return (
    <>
      <Button
        aria-label={t('Showing {label}. Change the selection', { label })}
        aria-haspopup="dialog"
        className="max-w-full"
        onClick={() => setOpen(true)}
      >
        <span className="max-w-56 min-w-0 truncate">{label}</span>
        <svg aria-hidden viewBox="0 0 16 16" className="size-3.5 shrink-0 fill-none stroke-current stroke-[1.6]">
          <path d="m4 6 4 4 4-4" />
        </svg>
      </Button>
      {isOpen && <ScopeDialog scope={scope} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Shortens wallet addresses. Their container cuts names and virtual users. */
const shorten = (text: string): string => (walletsOf([text]).length > 0 ? shortAddress(text) : text)

/** Shows loading and an empty state before its children. */
export function ScopeView({ children }: { children: (scope: Scope) => ReactNode }) {
  const scope = useScope()
  const [isOpen, setOpen] = useState(false)
  if (scope.isPending) return <Skeleton lines={6} />
  if (scope.addresses.length > 0) return children(scope)
  const open = (
    <Button look="primary" onClick={() => setOpen(true)}>
      {t('Enter an address')}
    </Button>
  )
  return (
    <>
      <EmptyState title={t('No addresses yet')} action={open}>
        {t('Enter or paste any wallet address. Addresses that you save in the address book appear here automatically.')}
      </EmptyState>
      {isOpen && <ScopeDialog scope={scope} onClose={() => setOpen(false)} />}
    </>
  )
}

function ScopeDialog({ scope, onClose }: { scope: Scope; onClose: () => void }) {
  const { addresses, sources, setAddresses } = scope
  const listed = [...sources.saved, ...sources.virtualUsers].map(({ address, label }) => ({ address, label }))
  const isListed = (address: string) => listed.some((one) => one.address === address)
  const [ticked, setTicked] = useState<readonly string[]>(addresses.filter(isListed))
  const [typed, setTyped] = useState(addresses.filter((address) => !isListed(address)).join('\n'))
  const choose = (chosen: readonly string[]) => {
    onClose()
    setAddresses(chosen)
  }
  return (
    <Dialog open title={t('Select addresses')} onClose={onClose}>
      <div className="grid gap-4">
        <Wholes scope={scope} onChoose={choose} />
        <ChoiceForm ticked={ticked} typed={typed} onTyped={setTyped} onClose={onClose} onChoose={choose}>
          {listed.length > 0 && (
            <fieldset className="grid max-h-60 gap-0.5 overflow-y-auto rounded-md border border-line px-3 py-2">
              <legend className="px-1 text-sm font-medium">{t('Saved')}</legend>
              {listed.map(({ address, label }) => (
                <Checkbox
                  key={address}
                  label={[label, shorten(address)].filter(Boolean).join(' · ')}
                  checked={ticked.includes(address)}
                  onChange={(event) =>
                    setTicked(event.target.checked ? [...ticked, address] : ticked.filter((one) => one !== address))
                  }
                />
              ))}
            </fieldset>
          )}
        </ChoiceForm>
      </div>
    </Dialog>
  )
}

/** Shortcuts: all saved addresses, and bundles. */
function Wholes({ scope: { sources }, onChoose }: { scope: Scope; onChoose: (chosen: readonly string[]) => void }) {
  const { saved, bundles } = sources
  if (saved.length === 0) return null
  return (
    <div className="flex flex-wrap gap-2">
      <Button size="sm" onClick={() => onChoose([])}>
        {partly(t('All saved addresses'), defaultOf(sources).length, saved.length)}
      </Button>
      {bundles.map((bundle) => (
        <Button
          key={bundle.id}
          size="sm"
          className="max-w-full"
          disabled={membersOf(bundle).length === 0}
          onClick={() => onChoose(membersOf(bundle))}
        >
          <span className="min-w-0 truncate">
            {partly(bundle.name, membersOf(bundle).length, bundle.addresses.length)}
          </span>
        </Button>
      ))}
    </div>
  )
}

type ChoiceFormProps = {
  ticked: readonly string[]
  typed: string
  onTyped: (text: string) => void
  onClose: () => void
  onChoose: (chosen: readonly string[]) => void
  children: ReactNode
}

function ChoiceForm({ ticked, typed, onTyped, onClose, onChoose, children }: ChoiceFormProps) {
  const { addresses, refused } = readAddresses(typed)
  const chosen = [...new Set([...ticked, ...addresses])]
  const send = (event: FormEvent) => {
    event.preventDefault()
    onChoose(chosen)
  }
  return (
    <form onSubmit={send} className="grid gap-4">
      {children}
      <Field
        label={t('Other addresses')}
        hint={t(
          'EVM or Solana, one per line, at most {max} addresses in total. Reading addresses that are not saved costs credits, as with an API key, and requires the role owner.',
          { max: SCOPE_MAX },
        )}
        error={problemOf(chosen.length, refused)}
      >
        {(control) => (
          <TextArea
            {...control}
            rows={3}
            spellCheck={false}
            autoComplete="off"
            className="font-mono text-[0.8125rem]"
            value={typed}
            onChange={(event) => onTyped(event.target.value)}
          />
        )}
      </Field>
      <Actions>
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button
          type="submit"
          look="primary"
          disabled={chosen.length === 0 || problemOf(chosen.length, refused) !== null}
        >
          {t('Show')}
        </Button>
      </Actions>
    </form>
  )
}

function problemOf(count: number, refused: readonly string[]): string | null {
  const [first] = refused
  if (first !== undefined) return t('This address is not supported: {text}', { text: first.slice(0, 80) })
  return count > SCOPE_MAX ? t('You can view at most {max} addresses at once.', { max: SCOPE_MAX }) : null
}

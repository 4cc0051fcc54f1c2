import { Combobox } from '@base-ui/react/combobox'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../api/queries.ts'
import { Dialog } from '../components/dialog.tsx'
import { controlClass } from '../components/input.tsx'
import { familyOf } from '../lib/addresses.ts'
import { t } from '../lib/i18n.ts'
import { navigationOf } from './navigation.ts'
import { hasScreen } from './screen-route.ts'

type Destination = { label: string; detail: string; path: string; search?: Record<string, string> }

/** Opens a screen by its name, or an address that is typed or pasted. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const screens = useDestinations()
  const { account } = useParams({ strict: false }) as { account?: string }
  const session = useSession()
  const home = account ?? session.accounts[0]?.id
  const typed = text.trim()
  const canOpen = familyOf(typed) !== null && home !== undefined && hasScreen('portfolio')
  const found: Destination[] = canOpen
    ? [
        {
          label: t('Holdings of {address}', { address: typed }),
          detail: '',
          path: `/a/${home}/portfolio`,
          search: { addresses: typed },
        },
      ]
    : screens.filter(({ label, detail }) => `${label} ${detail}`.toLowerCase().includes(typed.toLowerCase()))
  const go = ({ path, search }: Destination) => {
    onClose()
    void navigate({ to: path, search: search ?? {} })
  }
  return (
    <Dialog open title={t('Go to')} onClose={onClose}>
      <Combobox.Root
        inline
        open
        autoHighlight
        filter={null}
        items={found}
        inputValue={text}
        onInputValueChange={setText}
        value={null}
        itemToStringLabel={(item: Destination) => item.label}
        onValueChange={(chosen: Destination | null) => chosen && go(chosen)}
      >
        <Combobox.Input
          aria-label={t('Screen or address')}
          placeholder={t('Screen or address')}
          className={controlClass}
        />
        <Combobox.Empty className="px-2 py-3 text-sm text-muted empty:hidden">{t('Nothing found.')}</Combobox.Empty>
        <Combobox.List className="mt-2 max-h-80 min-h-40 overflow-y-auto">
          {(item: Destination) => (
            <Combobox.Item
              key={item.path}
              value={item}
              className="flex cursor-pointer justify-between gap-3 rounded-md px-2 py-1.5 text-sm data-highlighted:bg-accent-soft"
            >
              <span className="min-w-0">{item.label}</span>
              <span className="text-muted">{item.detail}</span>
            </Combobox.Item>
          )}
        </Combobox.List>
      </Combobox.Root>
    </Dialog>
  )
}

/** Names the accounts if there are several. */
function useDestinations(): Destination[] {
  const session = useSession()
  const several = session.accounts.length > 1
  const accounts = session.accounts.length > 0 ? session.accounts : [{ id: undefined, name: '' }]
  const all = accounts.flatMap(({ id, name }) =>
    navigationOf(session, id).flatMap((section) =>
      section.items
        .filter(({ folder }) => hasScreen(folder))
        .map(({ title, path }) => ({
          label: title,
          detail: several && path.startsWith('/a/') ? name : section.title,
          path,
        })),
    ),
  )
  return all.filter((one, index) => all.findIndex(({ path }) => path === one.path) === index)
}

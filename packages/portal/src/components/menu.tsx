import { Menu as BaseMenu } from '@base-ui/react/menu'
import { useEffect, useRef } from 'react'
import { buttonClass } from './button.tsx'
import { popupClass } from './popup.ts'

type MenuAction = { label: string; onSelect: () => void; danger?: boolean }

/** Without `label` it is a row's three dots, with `name` for screen readers. */
export function Menu({ name, label, actions }: { name: string; label?: string; actions: readonly MenuAction[] }) {
  const trigger = useRef<HTMLButtonElement>(null)
  const chosen = useRef<MenuAction>(undefined)
  const act = () => {
    const action = chosen.current
    chosen.current = undefined
    if (!action) return
    trigger.current?.focus()
    action.onSelect()
  }
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger
        ref={trigger}
        className={buttonClass({ look: label ? 'secondary' : 'ghost', size: 'sm' })}
        aria-label={name}
      >
        {label ?? <Dots />}
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner align="end" sideOffset={4} className="z-50">
          <BaseMenu.Popup className={`${popupClass} min-w-36 py-1`}>
            <Gone then={act} />
            {actions.map((action) => (
              <BaseMenu.Item
                key={action.label}
                onClick={() => {
                  chosen.current = action
                }}
                className={`cursor-pointer px-3 py-1.5 text-sm outline-none data-highlighted:bg-sunken ${action.danger ? 'text-bad' : ''}`}
              >
                {action.label}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  )
}

/** Acts after the list has closed: a dialog then returns focus to the button, not to a removed item. */
function Gone({ then }: { then: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is chosen is kept in refs.
  useEffect(() => then, [])
  return null
}

function Dots() {
  return (
    <svg aria-hidden viewBox="0 0 16 16" className="size-4 fill-current">
      <circle cx="3" cy="8" r="1.4" />
      <circle cx="8" cy="8" r="1.4" />
      <circle cx="13" cy="8" r="1.4" />
    </svg>
  )
}

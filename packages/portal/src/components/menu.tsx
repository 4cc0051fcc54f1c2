import { Menu as BaseMenu } from '@base-ui/react/menu'
import { useEffect, useRef } from 'react'
import { buttonClass } from './button.tsx'
import { popupClass } from './popup.ts'

type MenuAction = { label: string; onSelect: () => void; danger?: boolean }

/** A button that opens a list of actions. Without a visible `label` it is the three dots of a row, told by `name`. */
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

/** Acts once the list has gone: a dialog that opens then gives focus back to the button, not to an item that is no more. */
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

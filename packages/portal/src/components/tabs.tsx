import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

type Tab<V extends string> = { value: V; label: string; content: ReactNode }

type TabsProps<V extends string> = {
  name: string
  tabs: readonly Tab<V>[]
  value: V
  onChoose: (value: V) => void
}

/** The caller keeps the selected tab, in the URL if possible. */
export function Tabs<V extends string>({ name, tabs, value, onChoose }: TabsProps<V>) {
  return (
    <BaseTabs.Root value={value} onValueChange={(next: V) => onChoose(next)}>
      <BaseTabs.List aria-label={name} className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <BaseTabs.Tab
            key={tab.value}
            value={tab.value}
            className="-mb-px border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-muted data-active:border-accent data-active:text-ink"
          >
            {tab.label}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {tabs.map((tab) => (
        <BaseTabs.Panel key={tab.value} value={tab.value}>
          {tab.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  )
}
